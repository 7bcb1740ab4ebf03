// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Starts callers, on virtual threads where that is asked for and the JVM has them. */
final class CallerThreads {
  private CallerThreads() {}

  static Thread start(Runnable caller, boolean virtual) {
    if (virtual) {
      return startVirtual(caller);
    }
    Thread thread = new Thread(caller, "caller");
    thread.start();
    return thread;
  }

  /** By name, because this is compiled for Java 17, which does not have them. */
  private static Thread startVirtual(Runnable caller) {
    MethodType type = MethodType.methodType(Thread.class, Runnable.class);
    try {
      MethodHandle start =
          MethodHandles.publicLookup().findStatic(Thread.class, "startVirtualThread", type);
      return (Thread) start.invokeExact(caller);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
