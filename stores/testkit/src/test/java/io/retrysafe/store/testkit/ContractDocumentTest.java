// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules on paper and the rules in code are the same. */
final class ContractDocumentTest {
  private static final Pattern RULE = Pattern.compile("(?m)^\\| (C-\\d{2,3}) \\| (.+) \\|$");
  private static final Path DOCUMENT =
      Path.of(System.getProperty("retrysafe.root", "../.."), "docs", "store-contract.md");

  @Test
  void everyRuleHasATestAndEveryTestARule() throws IOException {
    assertThat(testedRules()).isEqualTo(new TreeSet<>(writtenRules()));
  }

  @Test
  void rulesAreNumberedInOrderAndOnce() throws IOException {
    List<String> rules = writtenRules();

    for (int i = 0; i < rules.size(); i++) {
      assertThat(rules.get(i)).isEqualTo("C-%02d".formatted(i + 1));
    }
  }

  private static List<String> writtenRules() throws IOException {
    String text = Files.readString(DOCUMENT);
    Matcher rules = RULE.matcher(text.substring(0, text.indexOf("## Rules and stores")));
    List<String> ids = new ArrayList<>();
    while (rules.find()) {
      ids.add(rules.group(1));
    }
    return ids;
  }

  private static Set<String> testedRules() {
    Set<String> ids = new TreeSet<>();
    for (Class<?> group : StoreContract.class.getDeclaredClasses()) {
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
