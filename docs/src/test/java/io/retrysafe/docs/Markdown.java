// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of a document that the tests need: its code blocks, its links and its headings. */
record Markdown(List<Block> blocks, List<Link> links, List<String> anchors) {
  private static final Pattern FENCE = Pattern.compile("^\\s*```\\s*(\\w*).*$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6}\\s+(.*?)\\s*#*$");

  /**
   * A fenced block.
   *
   * @param line the line of its opening fence, from 1
   * @param language the word behind the fence
   * @param before the line above the fence
   * @param text the content
   */
  record Block(int line, String language, String before, String text) {}

  /** A link or picture, outside of code. */
  record Link(int line, String target) {}

  static Markdown parse(String document) {
    List<Block> blocks = new ArrayList<>();
    List<Link> links = new ArrayList<>();
    List<String> anchors = new ArrayList<>();
    List<String> lines = document.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int opening = i;
        StringBuilder text = new StringBuilder();
        for (i++; i < lines.size() && !lines.get(i).strip().equals("```"); i++) {
          text.append(lines.get(i)).append('\n');
        }
        String before = opening == 0 ? "" : lines.get(opening - 1).strip();
        blocks.add(new Block(opening + 1, fence.group(1), before, text.toString()));
      } else {
        addLinks(lines.get(i), i + 1, links);
        Matcher heading = HEADING.matcher(lines.get(i));
        if (heading.matches()) {
          anchors.add(anchor(heading.group(1)));
        }
      }
    }
    return new Markdown(blocks, links, anchors);
  }

  private static void addLinks(String line, int number, List<Link> links) {
    Matcher link = LINK.matcher(line.replaceAll("`[^`]*`", ""));
    while (link.find()) {
      links.add(new Link(number, link.group(1)));
    }
  }

  /**
   * Returns the anchor that common renderers give a heading: lower case, words joined by hyphens,
   * no punctuation.
   */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }
}
