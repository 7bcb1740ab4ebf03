// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.http.Exchange;
import io.retrysafe.http.Route;
import io.retrysafe.http.servlet.RetrysafeFilter;
import io.retrysafe.spring.internal.transaction.SpringTransaction;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Begins the transaction of a request that was granted, just behind the filter that claims: the
 * claim is outside, handler and completion inside. The exchange commits it, before a byte leaves.
 */
final class TransactionJoiningFilter implements Filter {
  private final Predicate<Route> isJoined;
  private final Supplier<TransactionJoiner> joining;

  TransactionJoiningFilter(Predicate<Route> isJoined, Supplier<TransactionJoiner> joining) {
    this.isJoined = isJoined;
    this.joining = joining;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // Without an operation the store is silent and the handler runs on its own.
    Optional<Exchange> exchange =
        RetrysafeFilter.exchange(request)
            .filter(each -> each.operation().isPresent() && !each.isJoined())
            .filter(each -> isJoined.test(each.route()));
    if (exchange.isEmpty()) {
      chain.doFilter(request, response);
      return;
    }
    SpringTransaction transaction = joining.get().begin("the handler of " + exchange.get().route());
    boolean isThrough = false;
    try {
      exchange.get().join(transaction);
      chain.doFilter(request, response);
      isThrough = !request.isAsyncStarted();
    } finally {
      if (!isThrough) {
        // Another thread could not commit it: its answer will be a failure.
        transaction.rollBack();
      }
    }
  }
}
