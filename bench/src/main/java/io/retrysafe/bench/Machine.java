// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** What the figures were measured on, and how much else went on there. */
final class Machine {
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final int cores = Runtime.getRuntime().availableProcessors();

  Machine() {
    // Both loads are of the time since they were last asked for.
    system.getCpuLoad();
    system.getProcessCpuLoad();
  }

  String describe() {
    List<String> collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .toList();
    return "Java %s (%s), heap %d MiB, %s; %s %s, %d cores"
        .formatted(
            Runtime.version(),
            System.getProperty("java.vm.name"),
            Runtime.getRuntime().maxMemory() / (1024 * 1024),
            String.join(" + ", collectors),
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            cores);
  }

  /** Says how many cores other processes kept busy since this object was made. */
  String neighbours() {
    double all = system.getCpuLoad();
    double own = system.getProcessCpuLoad();
    if (all < 0 || own < 0) {
      return "How busy other processes kept the machine is not known.";
    }
    return String.format(
        Locale.ROOT,
        "Other processes kept %.2f of %d cores busy meanwhile.",
        Math.max(0, all - own) * cores,
        cores);
  }
}
