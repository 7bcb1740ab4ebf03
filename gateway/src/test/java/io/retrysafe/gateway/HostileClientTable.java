// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** A table of attacks: what is sent, where, in which protocols, and what it must come to. */
final class HostileClientTable {
  static final Set<Protocol> ALL = EnumSet.allOf(Protocol.class);
  static final Set<Protocol> HTTP_1 = EnumSet.of(Protocol.HTTP_1, Protocol.HTTP_1_TLS);
  static final Set<Protocol> HTTP_2 = EnumSet.of(Protocol.H2C, Protocol.H2);

  private final BiFunction<Port, Protocol, HostileClient> clients;
  private final List<Attack> attacks = new ArrayList<>();

  HostileClientTable(BiFunction<Port, Protocol, HostileClient> clients) {
    this.clients = clients;
  }

  /** Which port is attacked. */
  enum Port {
    REQUESTS,
    ADMIN
  }

  /** What an attacker does; it fails where the attack succeeds. */
  interface Action {
    void run(HostileClient client) throws Exception;
  }

  /** An attack, in several protocols at the same time. */
  record Attack(
      String name,
      Port port,
      Set<Protocol> protocols,
      BiFunction<Port, Protocol, HostileClient> clients,
      Action action) {

    void run() throws Exception {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (Protocol protocol : protocols) {
        running.add(CompletableFuture.runAsync(() -> run(protocol), GatewayTests.THREADS));
      }
      for (CompletableFuture<Void> each : running) {
        each.get(2, TimeUnit.MINUTES);
      }
    }

    private void run(Protocol protocol) {
      try {
        action.run(clients.apply(port, protocol));
      } catch (Exception e) {
        throw new IllegalStateException(protocol + ": " + e, e);
      }
    }

    @Override
    public String toString() {
      return name + " (" + port + ", " + protocols + ")";
    }
  }

  /**
   * What an attack must be answered with.
   *
   * @param statuses any of these; 0 for a connection or stream that is cut off
   * @param problem the word of the problem; empty for any or none
   */
  record Answer(Set<Integer> statuses, String problem) {
    static Answer of(int status, String problem) {
      return new Answer(Set.of(status), problem);
    }

    static Answer any(Integer... statuses) {
      return new Answer(Set.of(statuses), "");
    }

    void check(Wire.Reply reply) {
      assertThat(reply.status()).as("%s", reply).isIn(statuses);
      if (reply.status() != 0 && !problem.isEmpty()) {
        assertThat(reply.problem()).as("%s", reply).isEqualTo(problem);
      }
    }
  }

  List<Attack> attacks() {
    return attacks;
  }

  /** Adds an attack, which is made in several protocols at once. */
  void on(Port port, Set<Protocol> protocols, String name, Action action) {
    attacks.add(new Attack(name, port, spokenOn(port, protocols), clients, action));
  }

  void onBoth(Set<Protocol> protocols, String name, Action action) {
    on(Port.REQUESTS, protocols, name, action);
    on(Port.ADMIN, protocols, name, action);
  }

  /** Adds a request and its answer. */
  void answered(Port port, String name, HostileClientRequest request, Answer answer) {
    on(port, ALL, name, client -> answer.check(request.send(client)));
  }

  /**
   * Adds four rows: a request many times at once, in small parts, with a huge head, and in a
   * malformed variant.
   */
  void inEveryWay(
      Port port,
      String name,
      HostileClientRequest request,
      Answer answer,
      HostileClientRequest malformed,
      Answer toMalformed) {
    on(port, ALL, name + ", fast", client -> request.fast(client).forEach(answer::check));
    on(port, ALL, name + ", slow", client -> answer.check(request.slowly(client)));
    on(port, ALL, name + ", huge", client -> answer.check(request.huge().send(client)));
    on(port, ALL, name + ", malformed", client -> toMalformed.check(malformed.send(client)));
  }

  private static Set<Protocol> spokenOn(Port port, Set<Protocol> protocols) {
    Set<Protocol> spoken = EnumSet.copyOf(protocols);
    if (port == Port.ADMIN) {
      spoken.remove(Protocol.H2C);
    }
    return spoken;
  }

  /** Returns text as the name of a row can show it. */
  static String shown(String... texts) {
    String text =
        String.join(": ", texts)
            .strip()
            .replace("\r", "\\r")
            .replace("\n", "\\n")
            .replace("\0", "\\0");
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
