// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * A request and its response, as a framework gives them to an application. A fixture passes
 * everything on to the framework: what it reads and writes itself is not tested.
 */
public interface Call {

  String method();

  /** Returns the first line of a header. */
  Optional<String> header(String name);

  /** Returns the body's bytes. */
  byte[] body() throws IOException;

  /** Returns a field of a form, url-encoded or multipart. */
  Optional<String> field(String name) throws IOException;

  void status(int status);

  /** Adds a header line. */
  void addHeader(String name, String value);

  /** Returns where the response's body is written to. */
  OutputStream out() throws IOException;

  /** Sends what was written so far. */
  void flush() throws IOException;

  /** Ends with the framework's own answer for an error, where it has one. */
  void error(int status) throws IOException;

  /** Goes on in another thread, as the framework does such things, after the handler returned. */
  void later(Application work);
}
