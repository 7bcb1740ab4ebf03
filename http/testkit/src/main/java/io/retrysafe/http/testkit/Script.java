// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What the application does with the requests of one test, and how often it did. */
final class Script {
  /** The request header that names the script. */
  static final String HEADER = "X-Script";

  private final String id = UUID.randomUUID().toString();
  private final Application work;
  private final AtomicInteger runs = new AtomicInteger();

  Script(Application work) {
    this.work = work;
  }

  String id() {
    return id;
  }

  int runs() {
    return runs.get();
  }

  void run(Call call) throws Exception {
    runs.incrementAndGet();
    work.handle(call);
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(20, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a test did not go on");
    }
  }
}
