// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The walk of a request through the gateway names classes that exist, and few of them. */
class RequestWalkTest {
  private static final int MOST = 20;
  private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z0-9]+)`");
  private static final Pattern SECTION =
      Pattern.compile("(?ms)^## How a request travels$(.*?)^## ");

  @Test
  void theWalkNamesAtMostTwentyClassesThatExist() throws IOException {
    String manual = Files.readString(Sources.ROOT.resolve("docs/gateway.md"));
    Matcher section = SECTION.matcher(manual);
    assertThat(section.find()).as("docs/gateway.md has the section").isTrue();
    assertThat(problems(section.group(1), classes())).isEmpty();
    assertThat(named(section.group(1))).hasSizeGreaterThan(10);
  }

  @Test
  void aLongWalkAndAClassThatDoesNotExistAreFound() {
    String steps = "1. `Here` and `Gone`.\n" + "`Here` ".repeat(30);
    assertThat(problems(steps, Set.of("Here"))).containsExactly("there is no class Gone");
    StringBuilder many = new StringBuilder();
    for (char c = 'A'; c <= 'U'; c++) {
      many.append("`Step").append(c).append("` ");
    }
    assertThat(problems(many.toString(), named(many.toString())))
        .containsExactly("the walk names 21 classes, may name 20");
  }

  private static Set<String> named(String steps) {
    Set<String> named = new LinkedHashSet<>();
    Matcher names = CLASS.matcher(steps);
    while (names.find()) {
      named.add(names.group(1));
    }
    return named;
  }

  private static List<String> problems(String steps, Set<String> classes) {
    List<String> problems = new ArrayList<>();
    Set<String> named = named(steps);
    if (named.size() > MOST) {
      problems.add("the walk names " + named.size() + " classes, may name " + MOST);
    }
    named.stream()
        .filter(name -> !classes.contains(name))
        .forEach(name -> problems.add("there is no class " + name));
    return problems;
  }

  /** Returns the simple names of the classes that a request can meet. */
  private static Set<String> classes() throws IOException {
    return Sources.mainJavaFiles().stream()
        .map(file -> Sources.ROOT.relativize(file).toString())
        .filter(file -> file.contains("src/main/java"))
        .filter(file -> file.startsWith("gateway/") || file.startsWith("http/semantics/"))
        .map(file -> file.replaceAll(".*/|\\.java$", ""))
        .collect(Collectors.toSet());
  }
}
