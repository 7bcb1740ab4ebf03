// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.retrysafe.store.wrong.Gossip;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Every arrow holds, and every rule can fail: each is also shown something that breaks it. */
class ArchitectureTest {
  private static final String GATEWAY = "io.retrysafe.gateway";

  private static final String[] CORE = {
    Rules.API, Rules.SPI, Rules.MEMORY, Rules.INTERNAL, Rules.STORE_HELPERS, Rules.ENGINE
  };

  private static final JavaClasses CODE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.retrysafe");

  private static final JavaClasses WRONG =
      new ClassFileImporter()
          .importPackagesOf(
              Gossip.class,
              io.retrysafe.store.other.Listener.class,
              io.retrysafe.store.other.internal.Secret.class);

  @Test
  void everyModuleIsLookedAt() throws IOException {
    assertThat(CODE.stream().map(type -> type.getPackageName()).distinct())
        .containsAll(Sources.packages());
    assertThat(Sources.packages()).contains("io.retrysafe", "io.retrysafe.store");
  }

  @Test
  void everyWordIsThere() {
    assertThat(Rules.WORDS).allMatch(word -> CODE.contain(Rules.API + '.' + word));
  }

  @Test
  void coreNeedsOnlyTheJdk() {
    holds(Rules.needOnlyTheJdk(CORE), CODE);
    holds(Rules.needOnlyTheJdk(Rules.INTERNAL), CODE);
    breaks(Rules.needOnlyTheJdk("io.retrysafe.cli"), CODE);
  }

  @Test
  void wordsKnowNeitherStoresNorEngine() {
    holds(Rules.areWords(Rules.WORDS), CODE);
    breaks(Rules.areWords(Set.of("Policy")), CODE);
    breaks(Rules.areWords(Set.of("Decision")), CODE);
  }

  @Test
  void theStoreSpiDoesNotKnowTheEngine() {
    holds(Rules.doNotKnowTheEngine(Rules.SPI, Rules.MEMORY, Rules.STORE_HELPERS), CODE);
    breaks(Rules.doNotKnowTheEngine("io.retrysafe.store.wrong"), WRONG);
  }

  @Test
  void oneClassOfTheApiStartsTheEngine() {
    holds(Rules.isTheDoor("Retrysafe"), CODE);
    breaks(Rules.isTheDoor("DeclaredOperation"), CODE);
  }

  /** The API's package has the words below the SPI and the class that starts the engine. */
  @Test
  void packagesOfCoreHaveNoCycleExceptThroughTheApi() {
    holds(
        Rules.haveNoCycle(
            Rules.SPI, Rules.MEMORY, Rules.INTERNAL, Rules.STORE_HELPERS, Rules.ENGINE),
        CODE);
    breaks(Rules.haveNoCycle(Rules.API, Rules.ENGINE), CODE);
    breaks(Rules.haveNoCycle(Rules.API, Rules.SPI), CODE);
  }

  @Test
  void storesSeeNeitherEachOtherNorHttp() {
    holds(Rules.STORES_DO_NOT_SEE_EACH_OTHER, CODE);
    holds(Rules.STORES_DO_NOT_SEE_HTTP, CODE);
    breaks(Rules.STORES_DO_NOT_SEE_EACH_OTHER, WRONG);
    breaks(Rules.STORES_DO_NOT_SEE_HTTP, WRONG);
  }

  @Test
  void nobodyStandsOnThePrograms() {
    holds(
        Rules.nobodyNeeds("io.retrysafe.cli..", "io.retrysafe.bench..", "io.retrysafe.examples.."),
        CODE);
    holds(
        Rules.nobodyNeeds("io.retrysafe.gateway..", "io.retrysafe.cli..", "io.retrysafe.bench.."),
        CODE);
    breaks(Rules.nobodyNeeds(Rules.SPI), CODE);
  }

  @Test
  void packagesOfTheGatewayHaveNarrowDoors() throws IOException {
    Set<String> packages = new TreeSet<>();
    for (String each : Sources.packages()) {
      if (each.startsWith(GATEWAY + '.')) {
        packages.add(each.substring(GATEWAY.length() + 1));
      }
    }
    assertThat(packages).isEqualTo(Rules.GATEWAY.keySet());
    Rules.GATEWAY.forEach((name, used) -> holds(Rules.usesOnly(name, used), CODE));
    breaks(Rules.usesOnly("internal.proxy", Set.of()), CODE);
  }

  @Test
  void packagesOfTheGatewayHaveNoCycle() {
    holds(Rules.haveNoCycle(GATEWAY + ".."), CODE);
    breaks(Rules.haveNoCycle("io.retrysafe.store.wrong", "io.retrysafe.store.other"), WRONG);
  }

  @Test
  void internalPackagesOfTheGatewayStayInside() {
    holds(Rules.areInternalTo(GATEWAY), CODE);
    breaks(Rules.areInternalTo("io.retrysafe.store.other"), WRONG);
  }

  @Test
  void packagesOfHttpAndSpringHaveNoCycle() {
    holds(Rules.haveNoCycle("io.retrysafe.http.."), CODE);
    holds(Rules.haveNoCycle("io.retrysafe.spring.."), CODE);
    holds(Rules.areInternalTo("io.retrysafe.http"), CODE);
    holds(Rules.areInternalTo("io.retrysafe.spring"), CODE);
  }

  @Test
  void librariesDoNotPrint() {
    holds(Rules.areSilent(Rules.LIBRARIES), CODE);
    breaks(Rules.areSilent(not(Rules.LIBRARIES)), CODE);
  }

  @Test
  void whatIsNotToBeExtendedIsFinal() {
    holds(Rules.areFinal("io.retrysafe.."), CODE);
    breaks(Rules.areFinal("io.retrysafe.store.wrong"), WRONG);
  }

  @Test
  void theEngineGoesThroughItsRuntime() {
    holds(Rules.goThroughTheRuntime(not(Rules.areNamed(Set.of("Threads")))), CODE);
    breaks(Rules.goThroughTheRuntime(alwaysTrue()), CODE);
  }

  @Test
  void capabilitiesAreLookedUp() {
    assertThat(Rules.CAPABILITIES).allMatch(name -> CODE.contain(Rules.SPI + '.' + name));
    holds(Rules.lookCapabilitiesUp(alwaysTrue()), CODE);
    breaks(Rules.lookCapabilitiesUp(alwaysTrue()), WRONG);
  }

  @Test
  void everyPackageIsNullMarked() {
    assertThat(notNullMarked(CODE)).isEmpty();
    assertThat(notNullMarked(WRONG)).contains("io.retrysafe.store.wrong");
  }

  private static List<String> notNullMarked(JavaClasses classes) {
    return classes.getDefaultPackage().getSubpackagesInTree().stream()
        .filter(each -> !each.getClasses().isEmpty())
        .filter(
            each -> resideInAPackage("io.retrysafe..").test(each.getClasses().iterator().next()))
        .filter(each -> !each.isAnnotatedWith(NullMarked.class))
        .map(JavaPackage::getName)
        .toList();
  }

  private static void holds(ArchRule rule, JavaClasses classes) {
    assertThat(rule.evaluate(classes).getFailureReport().getDetails()).isEmpty();
  }

  private static void breaks(ArchRule rule, JavaClasses classes) {
    assertThat(rule.evaluate(classes).hasViolation()).as("breaks: %s", rule).isTrue();
  }
}
