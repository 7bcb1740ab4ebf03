// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

/** What an application does with a call. */
@FunctionalInterface
public interface Application {
  void handle(Call call) throws Exception;
}
