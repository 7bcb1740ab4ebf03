// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of docs/operations.md, run as they stand there with other ports. What they print is
 * compared but for times; with -Dretrysafe.docs=write it is written there.
 */
class WalkThroughTest {
  private static final Path MANUAL =
      Path.of(System.getProperty("retrysafe.root", "..")).resolve("docs/operations.md");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
  private static final String TOKEN = "change-me-please";

  private Path folder;

  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch reached = new CountDownLatch(1);
  private final AtomicInteger charges = new AtomicInteger();
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer service;
  private @Nullable Program gateway;
  private boolean isResolved;
  private String fence = "";
  private String url = "";
  private String admin = "";

  @BeforeEach
  void prepare(@TempDir Path temporary) throws IOException {
    folder = temporary;
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @AfterEach
  void stop() {
    go.countDown();
    if (gateway != null) {
      gateway.close();
    }
    service.stop(0);
  }

  @Test
  void theManualsCommandsPrintWhatItShows() throws Exception {
    service.setExecutor(Executors.newCachedThreadPool());
    service.createContext(
        "/",
        exchange -> {
          charges.incrementAndGet();
          reached.countDown();
          try {
            go.await(60, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    service.start();
    String before = Files.readString(MANUAL);
    StringBuilder after = new StringBuilder();
    boolean isConsole = false;
    for (String line : before.split("\n", -1)) {
      if (line.startsWith("```")) {
        isConsole = line.equals("```console");
        after.append(line).append('\n');
      } else if (!isConsole) {
        after.append(line).append('\n');
      } else if (line.startsWith("$ ")) {
        after.append(line).append('\n').append(run(line.substring(2)));
      }
    }
    String renewed = after.substring(0, after.length() - 1);
    assertThat(charges).as("nothing is sent twice").hasValue(1);
    if ("write".equals(System.getProperty("retrysafe.docs"))) {
      Files.writeString(MANUAL, renewed);
    } else {
      assertThat(timeless(renewed))
          .as("run again with -Dretrysafe.docs=write, then look at the difference")
          .isEqualTo(timeless(before));
    }
  }

  private static String timeless(String text) {
    return text.replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}", "0000-00-00")
        .replaceAll("[0-9]{2}:[0-9]{2}:[0-9]{2}", "00:00:00")
        .replaceAll("[0-9.]+(ms|s)\\b", "0s")
        .replaceAll("[0-9]{16}", "0")
        // Columns are as wide as what is in them.
        .replaceAll(" {2,}", "  ");
  }

  private String run(String line) throws Exception {
    boolean isBackground = line.endsWith(" &");
    List<String> words = words(isBackground ? line.substring(0, line.length() - 2) : line);
    return switch (words.get(0)) {
      case "export" -> "";
      case "kill" -> killed();
      case "curl" -> curl(words, isBackground);
      default -> program(words, isBackground);
    };
  }

  private String killed() throws Exception {
    until("claimed", "operations", "show", "order-1001");
    assertThat(reached.await(60, TimeUnit.SECONDS)).as("the service was reached").isTrue();
    Objects.requireNonNull(gateway).close();
    return "";
  }

  private String program(List<String> words, boolean isBackground) throws Exception {
    words.remove(0);
    if (isBackground) {
      startGateway(words);
      return "";
    }
    if (isResolved && words.contains("explain")) {
      // The history is a moment behind.
      until("replayed", words.toArray(new String[0]));
    }
    isResolved |= words.contains("resolve");
    words.replaceAll(word -> word.matches("[0-9]{16}") ? fence : word);
    if (words.contains("list")) {
      until("order-1001", words.toArray(new String[0]));
    }
    String there = "127.0.0.1:" + service.getAddress().getPort();
    String out = command(words.toArray(new String[0])).replace(there, "127.0.0.1:9000");
    Matcher shown = Pattern.compile("fence +([0-9]{16})").matcher(out);
    fence = shown.find() ? shown.group(1) : fence;
    return out;
  }

  private void startGateway(List<String> words) throws Exception {
    List<String> args = new ArrayList<>(words);
    String there = "http://127.0.0.1:" + service.getAddress().getPort();
    args.replaceAll(word -> word.equals("http://127.0.0.1:9000") ? there : word);
    args.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"));
    Program started =
        Program.start(folder, Map.of("RETRYSAFE_ADMIN_TOKEN", TOKEN), args.toArray(new String[0]));
    gateway = started;
    url = started.line("requests");
    admin = started.line("admin");
  }

  private String command(String... args) throws Exception {
    Map<String, String> environment =
        Map.of("RETRYSAFE_ADMIN", admin, "RETRYSAFE_ADMIN_TOKEN", TOKEN);
    try (Program program = Program.start(folder, environment, args)) {
      int exit = program.exit();
      assertThat(program.err()).isEmpty();
      assertThat(exit).isZero();
      return program.out();
    }
  }

  private void until(String shown, String... args) throws Exception {
    Instant end = Instant.now().plusSeconds(60);
    String out = "";
    while (!out.contains(shown)) {
      assertThat(Instant.now()).as("%s never showed up in %s", shown, out).isBefore(end);
      Thread.sleep(100);
      List<String> all = new ArrayList<>(List.of(args));
      all.addAll(List.of("--admin", admin, "--admin-token", TOKEN));
      out = Ran.command(all, List.of()).out();
    }
  }

  private String curl(List<String> words, boolean isBackground) throws Exception {
    String address =
        words.stream().filter(word -> word.startsWith("http")).findFirst().orElseThrow();
    URI uri =
        URI.create(
            address.replace("http://127.0.0.1:8080", url).replace("http://127.0.0.1:8081", admin));
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    for (int i = 0; i + 1 < words.size(); i++) {
      if (words.get(i).equals("-H")) {
        String[] header = words.get(i + 1).split(": ", 2);
        request.header(header[0], header[1]);
      } else if (words.get(i).equals("-d")) {
        request.POST(HttpRequest.BodyPublishers.ofString(words.get(i + 1)));
      }
    }
    if (isBackground) {
      var unused = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
      return "";
    }
    String body = client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    return body.endsWith("\n") ? body : body + "\n";
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
    return words;
  }
}
