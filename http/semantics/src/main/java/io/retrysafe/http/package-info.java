/**
 * All HTTP rules, without a server: an adapter asks {@link io.retrysafe.http.HttpGuard} what to do
 * with a request and tells it what the handler answered.
 */
@NullMarked
package io.retrysafe.http;

import org.jspecify.annotations.NullMarked;
