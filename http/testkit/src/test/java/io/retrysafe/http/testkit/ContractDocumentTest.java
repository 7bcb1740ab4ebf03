// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules on paper, the rules in code and the flaws that break them are the same. */
final class ContractDocumentTest {
  private static final Pattern RULE = Pattern.compile("(?m)^\\| (H-\\d{2}) \\| (.+) \\|$");
  private static final Path DOCUMENT =
      Path.of(System.getProperty("retrysafe.root", "../.."), "docs", "http-contract.md");

  @Test
  void everyRuleHasATestAndEveryTestARule() throws IOException {
    assertThat(testedRules()).isEqualTo(new TreeSet<>(writtenRules()));
  }

  @Test
  void rulesAreNumberedInOrderAndOnce() throws IOException {
    List<String> rules = writtenRules();

    for (int i = 0; i < rules.size(); i++) {
      assertThat(rules.get(i)).isEqualTo("H-%02d".formatted(i + 1));
    }
  }

  @Test
  void everyRuleIsBrokenBySomeFlaw() throws IOException {
    assertThat(Stream.of(Flaw.values()).map(flaw -> flaw.rule).collect(Collectors.toSet()))
        .isEqualTo(Set.copyOf(writtenRules()));
  }

  private static List<String> writtenRules() throws IOException {
    String text = Files.readString(DOCUMENT);
    Matcher rules = RULE.matcher(text.substring(0, text.indexOf("<!-- table:begin -->")));
    List<String> ids = new ArrayList<>();
    while (rules.find()) {
      ids.add(rules.group(1));
    }
    return ids;
  }

  private static Set<String> testedRules() {
    Set<String> ids = new TreeSet<>();
    for (Class<?> group : HttpContract.class.getDeclaredClasses()) {
      assertThat(group).hasAnnotation(Nested.class);
      for (Method method : group.getSuperclass().getDeclaredMethods()) {
        Rule rule = method.getAnnotation(Rule.class);
        if (rule != null) {
          ids.add(rule.value());
        }
      }
    }
    return ids;
  }
}
