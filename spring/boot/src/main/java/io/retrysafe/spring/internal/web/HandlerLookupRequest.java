// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * A request for looking up its handler: attributes that Spring sets on it stay here, and its
 * parameters are those of the query, because reading those of a form would consume the body.
 */
final class HandlerLookupRequest extends HttpServletRequestWrapper {
  private final Map<String, Object> attributes = new HashMap<>();
  private @Nullable Map<String, String[]> parameters;

  HandlerLookupRequest(HttpServletRequest request) {
    super(request);
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    Object own = attributes.get(name);
    return own == null ? super.getAttribute(name) : own;
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
    } else {
      attributes.put(name, value);
    }
  }

  @Override
  public void removeAttribute(String name) {
    attributes.remove(name);
  }

  @Override
  public Enumeration<String> getAttributeNames() {
    List<String> names = new ArrayList<>(attributes.keySet());
    names.addAll(Collections.list(super.getAttributeNames()));
    return Collections.enumeration(names);
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    if (parameters == null) {
      MultiValueMap<String, @Nullable String> query =
          UriComponentsBuilder.newInstance().query(getQueryString()).build().getQueryParams();
      Map<String, String[]> found = new LinkedHashMap<>();
      query.forEach(
          (name, values) ->
              found.put(
                  name,
                  values.stream().map(value -> value == null ? "" : value).toArray(String[]::new)));
      parameters = Collections.unmodifiableMap(found);
    }
    return parameters;
  }

  @Override
  public @Nullable String getParameter(String name) {
    String[] values = getParameterMap().get(name);
    return values == null || values.length == 0 ? null : values[0];
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    return getParameterMap().get(name);
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(getParameterMap().keySet());
  }
}
