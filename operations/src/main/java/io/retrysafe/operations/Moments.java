// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats times in UTC: the time of day, with the date if it is not today's. */
final class Moments {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Moments() {}

  static String text(Instant moment, Instant now) {
    boolean isToday = moment.truncatedTo(ChronoUnit.DAYS).equals(now.truncatedTo(ChronoUnit.DAYS));
    return (isToday ? TIME : DAY).format(moment);
  }

  /** Returns date and time. */
  static String full(Instant moment) {
    return DAY.format(moment);
  }

  /** Returns the time for programs, to the microsecond, as stores keep it. */
  static String iso(Instant moment) {
    return moment.truncatedTo(ChronoUnit.MICROS).toString();
  }
}
