// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What the figures were measured on, and how much else went on there. */
final class Machine {
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final int cores = Runtime.getRuntime().availableProcessors();

  Machine() {
    neighbours();
  }

  static String describe() {
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
            Runtime.getRuntime().availableProcessors());
  }

  /**
   * Returns how many cores other processes kept busy since this was last asked; negative where that
   * is not known.
   */
  double neighbours() {
    double all = system.getCpuLoad();
    double own = system.getProcessCpuLoad();
    return all < 0 || own < 0 ? -1 : Math.max(0, all - own) * cores;
  }
}
