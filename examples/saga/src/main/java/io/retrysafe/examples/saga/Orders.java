// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;

/**
 * Places orders. However often it is asked for the same one, and wherever it is killed: stock is
 * reserved once, the card is charged once and one parcel leaves, or all of it is undone.
 */
final class Orders {
  // snippet:policy
  // The services know our keys, so that repeating a call is harmless: an attempt that died is run
  // again.
  private static final Policy POLICY = Policy.create().recovery(Recovery.rerun());

  // end

  private final Retrysafe engine;
  private final Stock stock;
  private final Card card;
  private final Shipping shipping;

  Orders(Retrysafe engine, Stock stock, Card card, Shipping shipping) {
    this.engine = engine;
    this.stock = stock;
    this.card = card;
    this.shipping = shipping;
  }

  // snippet:place
  /** Returns the parcel's number. */
  String place(String customer, String key, Order order) throws CannotShipException {
    return engine.run(
        OperationKey.of(Scope.of(customer, "place order"), key),
        Fingerprint.ofText(order.item(), String.valueOf(order.cents())),
        POLICY,
        Codec.string(),
        operation -> steps(operation, order));
  }

  // end

  // snippet:steps
  private String steps(Operation operation, Order order) throws CannotShipException {
    String reservation =
        operation.step(
            "reserve",
            Codec.string(),
            () -> stock.reserve(operation.downstreamKey("reserve"), order.item()),
            done -> stock.release(operation.downstreamKey("release"), done));
    String unused =
        operation.step(
            "charge",
            Codec.string(),
            () -> card.charge(operation.downstreamKey("charge"), order.cents()),
            done -> card.refund(operation.downstreamKey("refund"), done));
    // The carrier is asked first where an earlier attempt may have called it.
    String parcel = operation.downstreamKey("ship");
    return operation.stepWithLookup(
        "ship",
        Codec.string(),
        () -> shipping.find(parcel),
        () -> shipping.ship(parcel, reservation));
  }
  // end
}
