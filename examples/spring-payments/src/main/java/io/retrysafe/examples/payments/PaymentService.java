// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Writes payments. Its transaction is the handler's, which also records the answer. */
@Service
class PaymentService {
  private final JdbcTemplate jdbc;
  private final Trouble trouble;

  PaymentService(JdbcTemplate jdbc, Trouble trouble) {
    this.jdbc = jdbc;
    this.trouble = trouble;
  }

  @Transactional
  Payment pay(String merchant, Order order) {
    trouble.before();
    Payment payment =
        new Payment(UUID.randomUUID().toString(), merchant, order.cents(), order.currency());
    jdbc.update(
        "INSERT INTO payment (id, merchant, cents, currency) VALUES (?, ?, ?, ?)",
        payment.id(),
        merchant,
        order.cents(),
        order.currency());
    trouble.after();
    return payment;
  }

  @Transactional(readOnly = true)
  long count(String merchant) {
    Long count =
        jdbc.queryForObject(
            "SELECT count(*) FROM payment WHERE merchant = ?", Long.class, merchant);
    return count == null ? 0 : count;
  }
}
