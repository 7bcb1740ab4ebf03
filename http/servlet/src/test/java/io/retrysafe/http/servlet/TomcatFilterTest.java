// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.testkit.Instance;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;

final class TomcatFilterTest extends FilterTests {
  @Override
  Instance start(Retrysafe engine, Filter filter, Servlet servlet) throws Exception {
    return new TomcatInstance(engine, filter, servlet);
  }
}
