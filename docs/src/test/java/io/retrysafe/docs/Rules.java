// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;

/**
 * The arrows, as rules. Those that name classes or packages take them, so that a test can show each
 * rule failing.
 */
final class Rules {
  static final String ENGINE = "io.retrysafe";
  static final String SPI = "io.retrysafe.store";

  /** Text forms that all modules share; below everything. */
  static final String INTERNAL = "io.retrysafe.internal";

  /** The words of the domain, which live in the engine's package and below everything. */
  static final Set<String> WORDS =
      Set.of("Bytes", "Fingerprint", "Frames", "OperationKey", "Outcome", "Scope", "UnicodeText");

  /** The interfaces that only some stores implement. */
  static final Set<String> CAPABILITIES =
      Set.of(
          "Browsable",
          "History",
          "Immediate",
          "Metered",
          "Queued",
          "Resolvable",
          "Secrets",
          "Steps",
          "Sweepable",
          "Wakeups");

  /** What people start. */
  static final String[] PROGRAMS = {
    "io.retrysafe.cli..", "io.retrysafe.bench..", "io.retrysafe.examples.."
  };

  static final DescribedPredicate<JavaClass> LIBRARIES = resideOutsideOfPackages(PROGRAMS);

  private Rules() {}

  static ArchRule needOnlyTheJdk(String... packages) {
    return classes()
        .that()
        .resideInAnyPackage(packages)
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "org.jspecify..").or(resideInAnyPackage(packages)))
        .because("core brings nothing into a class path");
  }

  static ArchRule areWords(Set<String> words) {
    return classes()
        .that(areNamed(words))
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.jspecify..").or(areNamed(words)))
        .because("words know neither the store SPI nor the engine");
  }

  static ArchRule doNotKnowTheEngine(String spi) {
    return noClasses()
        .that()
        .resideInAPackage(spi)
        .should()
        .dependOnClassesThat(resideInAnyPackage(ENGINE).and(not(areNamed(WORDS))))
        .because("the engine calls stores, never the other way round");
  }

  static final ArchRule STORES_DO_NOT_SEE_EACH_OTHER =
      slices()
          .matching("io.retrysafe.store.(*)..")
          .should()
          .notDependOnEachOther()
          .ignoreDependency(resideInAnyPackage("io.retrysafe.store.url.."), alwaysTrue())
          .because("a store stands alone on core; only what opens them from addresses sees all");

  static final ArchRule STORES_DO_NOT_SEE_HTTP =
      noClasses()
          .that()
          .resideInAPackage("io.retrysafe.store..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.retrysafe.http..", "java.net.http..", "com.sun.net.httpserver..", "jakarta..")
          .because("HTTP is decided above the stores");

  static ArchRule nobodyNeeds(String... packages) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(packages)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages)
        .because("programs are where things end, not what others stand on");
  }

  /** The packages of the gateway, each with those that it may use. */
  static final Map<String, Set<String>> GATEWAY =
      Map.ofEntries(
          Map.entry("account", Set.of()),
          Map.entry("config", Set.of("account")),
          Map.entry("config.source", Set.of("account", "config")),
          Map.entry("describe", Set.of("account", "config")),
          Map.entry("internal.metrics", Set.of()),
          Map.entry("internal.wire", Set.of("account", "config", "internal.metrics")),
          Map.entry("internal.upstream", Set.of("internal.wire")),
          Map.entry(
              "internal.proxy",
              Set.of(
                  "account", "config", "internal.metrics", "internal.upstream", "internal.wire")),
          Map.entry(
              "internal.admin", Set.of("config", "describe", "internal.metrics", "internal.wire")));

  /** Returns that a package of the gateway uses only those of the others that it may. */
  static ArchRule usesOnly(String name, Set<String> used) {
    String[] others =
        GATEWAY.keySet().stream()
            .filter(each -> !each.equals(name) && !used.contains(each))
            .map(each -> "io.retrysafe.gateway." + each)
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage("io.retrysafe.gateway." + name)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(others).or(resideInAnyPackage("io.retrysafe.gateway")))
        .because("packages of the gateway have narrow doors and no cycle");
  }

  /** Returns that these packages, one by one, have no cycle. */
  static ArchRule haveNoCycle(String... packages) {
    return slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                return resideInAnyPackage(packages).test(type)
                    ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles();
  }

  /** Returns that nobody but their owner needs packages that are named internal. */
  static ArchRule areInternalTo(String owner) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(owner + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(owner + ".internal..")
        .because("internal packages are not API");
  }

  static ArchRule areSilent(DescribedPredicate<JavaClass> which) {
    return noClasses()
        .that(which)
        .should(ACCESS_STANDARD_STREAMS)
        .because("a library that prints cannot be listened to");
  }

  static ArchRule areFinal(String... packages) {
    return classes()
        .that()
        .resideInAnyPackage(packages)
        .and()
        .areTopLevelClasses()
        .and()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and()
        // Spring overrides their methods.
        .areNotAnnotatedWith("org.springframework.stereotype.Service")
        .should(
            be(
                describe(
                    "final or abstract",
                    type ->
                        type.getModifiers().contains(JavaModifier.FINAL)
                            || type.getModifiers().contains(JavaModifier.ABSTRACT))))
        .because("what is not meant to be extended says so");
  }

  static ArchRule goThroughTheSeam(DescribedPredicate<JavaClass> which) {
    return noClasses()
        .that()
        .resideInAPackage(ENGINE)
        .and(which)
        .should()
        .callCodeUnitWhere(Seam.BYPASSED)
        .because("one thread must be able to drive the engine");
  }

  static ArchRule lookCapabilitiesUp(DescribedPredicate<JavaClass> which) {
    return noClasses()
        .that(which)
        .should(
            have(
                describe(
                    "an instanceof of a store's capability",
                    type ->
                        type.getInstanceofChecks().stream()
                            .anyMatch(check -> isCapability(check.getRawType())))))
        .because("a store that wraps another one says itself what it can: Store.capability");
  }

  private static boolean isCapability(JavaClass type) {
    return type.getPackageName().equals(SPI) && CAPABILITIES.contains(type.getSimpleName());
  }

  static DescribedPredicate<JavaClass> areNamed(Set<String> names) {
    return describe(
        "are " + String.join(", ", names.stream().sorted().toList()),
        type ->
            type.getPackageName().equals(ENGINE)
                && names.contains(outermost(type.getBaseComponentType())));
  }

  private static String outermost(JavaClass type) {
    String simple = type.getName().substring(type.getPackageName().length() + 1);
    int nested = simple.indexOf('$');
    return nested < 0 ? simple : simple.substring(0, nested);
  }
}
