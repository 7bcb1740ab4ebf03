// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** What came of a command: how it ended and what it printed where. */
record Ran(int exit, String out, String err) {

  static Ran command(String... args) {
    return command(List.of(args), List.of());
  }

  static Ran command(List<String> args, List<String> more) {
    List<String> all = new ArrayList<>(args);
    all.addAll(more);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    int exit = Main.execute(command, all.toArray(new String[0]));
    return new Ran(exit, out.toString(), err.toString());
  }
}
