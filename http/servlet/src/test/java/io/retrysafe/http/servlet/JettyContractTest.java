// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.testkit.HttpContract;
import io.retrysafe.http.testkit.HttpFixture;

final class JettyContractTest extends HttpContract {
  @Override
  protected HttpFixture fixture() {
    return JettyInstance::new;
  }
}
