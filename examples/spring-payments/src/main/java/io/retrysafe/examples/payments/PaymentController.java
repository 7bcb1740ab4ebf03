// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import io.retrysafe.spring.Idempotent;
import java.net.URI;
import java.security.Principal;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Takes payments. */
@RestController
final class PaymentController {
  private final PaymentService payments;

  PaymentController(PaymentService payments) {
    this.payments = payments;
  }

  // snippet:handler
  @Idempotent(transaction = Idempotent.Transaction.JOIN)
  @PostMapping("/payments")
  ResponseEntity<Payment> pay(@RequestBody Order order, Principal merchant) {
    Payment payment = payments.pay(merchant.getName(), order);
    return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
  }

  // end

  @GetMapping("/payments/count")
  long count(Principal merchant) {
    return payments.count(merchant.getName());
  }
}
