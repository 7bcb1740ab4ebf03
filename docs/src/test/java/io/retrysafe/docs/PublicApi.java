// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What users of the published modules can see: exported packages, public types, their members. */
final class PublicApi {
  /** Programs, benchmarks, examples and test servers are not published for their types. */
  private static final Set<String> NOT_PUBLISHED =
      Set.of("cli", "bench", "examples", "testing", "docs");

  private PublicApi() {}

  static List<String> lines() {
    List<String> lines = new ArrayList<>();
    types()
        .filter(PublicApi::isVisible)
        .sorted(Comparator.comparing(JavaClass::getName))
        .forEach(type -> add(type, lines));
    return lines;
  }

  /** Returns how many of the top-level types of these packages and those below are visible. */
  static double shareOfPublicTypes(Set<String> packages) {
    List<JavaClass> all =
        types()
            .filter(
                type -> packages.contains(type.getPackageName()) || isInternalTo(packages, type))
            .filter(type -> type.isTopLevelClass() && !isPackageInfo(type))
            .toList();
    return (double) all.stream().filter(PublicApi::isVisible).count() / all.size();
  }

  private static boolean isInternalTo(Set<String> packages, JavaClass type) {
    return packages.stream().anyMatch(each -> type.getPackageName().equals(each + ".internal"));
  }

  private static Stream<JavaClass> types() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.retrysafe")
            .stream()
            .filter(type -> !NOT_PUBLISHED.contains(firstPart(type)));
  }

  private static String firstPart(JavaClass type) {
    String[] parts = type.getPackageName().split("\\.", -1);
    return parts.length > 2 ? parts[2] : "";
  }

  private static boolean isPackageInfo(JavaClass type) {
    return type.getSimpleName().equals("package-info");
  }

  private static boolean isVisible(JavaClass type) {
    boolean isHidden =
        !type.getModifiers().contains(PUBLIC)
            || type.getPackageName().endsWith(".internal")
            || type.getPackageName().contains(".internal.");
    Optional<JavaClass> enclosing = type.getEnclosingClass();
    return !isHidden && enclosing.map(PublicApi::isVisible).orElse(true);
  }

  private static void add(JavaClass type, List<String> lines) {
    String superclass =
        type.getSuperclass()
            .map(JavaType::getName)
            .filter(name -> !Set.of("java.lang.Object", "java.lang.Record").contains(name))
            .filter(name -> !name.startsWith("java.lang.Enum"))
            .map(name -> " extends " + name)
            .orElse("");
    String interfaces =
        type.getInterfaces().stream()
            .map(JavaType::getName)
            .sorted()
            .collect(Collectors.joining(", "));
    lines.add(
        modifiers(type.getModifiers(), !type.isInterface())
            + kind(type)
            + type.getName()
            + superclass
            + (interfaces.isEmpty()
                ? ""
                : (type.isInterface() ? " extends " : " implements ") + interfaces));
    type.getMembers().stream()
        .filter(PublicApi::isVisible)
        .map(PublicApi::line)
        .sorted()
        .forEach(lines::add);
  }

  private static boolean isVisible(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return (modifiers.contains(PUBLIC) || modifiers.contains(PROTECTED))
        && !modifiers.contains(SYNTHETIC)
        && !modifiers.contains(JavaModifier.BRIDGE);
  }

  private static String kind(JavaClass type) {
    if (type.isAnnotation()) {
      return "@interface ";
    }
    if (type.isRecord()) {
      return "record ";
    }
    if (type.isEnum()) {
      return "enum ";
    }
    return type.isInterface() ? "interface " : "class ";
  }

  private static String line(JavaMember member) {
    String start = "  " + modifiers(member.getModifiers(), true);
    if (member instanceof JavaField field) {
      return start + field.getType().getName() + ' ' + field.getName();
    }
    JavaCodeUnit unit = (JavaCodeUnit) member;
    String parameters =
        unit.getParameterTypes().stream().map(JavaType::getName).collect(Collectors.joining(", "));
    String thrown =
        unit.getThrowsClause().getTypes().stream()
            .map(JavaType::getName)
            .sorted()
            .collect(Collectors.joining(", "));
    String name =
        unit.isConstructor() ? "new" : unit.getReturnType().getName() + ' ' + unit.getName();
    return start + name + '(' + parameters + ')' + (thrown.isEmpty() ? "" : " throws " + thrown);
  }

  private static String modifiers(Set<JavaModifier> modifiers, boolean withAbstract) {
    return Stream.of(PUBLIC, PROTECTED, STATIC, ABSTRACT, FINAL)
        .filter(modifiers::contains)
        .filter(each -> withAbstract || each != ABSTRACT)
        .map(each -> each.name().toLowerCase(java.util.Locale.ROOT) + ' ')
        .collect(Collectors.joining());
  }
}
