// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.startup;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The report of a {@link StartupException}, without a stack trace. */
public final class StartupFailureAnalyzer extends AbstractFailureAnalyzer<StartupException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartupException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), rootFailure);
  }
}
