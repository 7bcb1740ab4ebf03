// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.internal.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Log lines as JSON objects, one on each line. */
final class JsonLog extends Formatter {

  /** Formats all console logging of this process as JSON. */
  static void install() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      if (handler instanceof ConsoleHandler) {
        handler.setFormatter(new JsonLog());
      }
    }
  }

  @Override
  public String format(LogRecord record) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", record.getInstant().toString());
    line.put("level", record.getLevel().getName());
    line.put("logger", String.valueOf(record.getLoggerName()));
    line.put("message", formatMessage(record));
    if (record.getThrown() != null) {
      StringWriter trace = new StringWriter();
      record.getThrown().printStackTrace(new PrintWriter(trace));
      line.put("exception", trace.toString());
    }
    return Json.write(line) + "\n";
  }
}
