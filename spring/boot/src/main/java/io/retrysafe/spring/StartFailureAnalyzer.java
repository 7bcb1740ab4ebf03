// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells whoever starts the application what is wrong, without a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), rootFailure);
  }
}
