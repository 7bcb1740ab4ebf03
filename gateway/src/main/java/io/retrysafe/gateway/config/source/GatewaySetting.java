// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * A setting of the gateway itself: its name in files, flags and the environment, its values and its
 * documentation. Instances are in {@link GatewaySettings}.
 *
 * @param <D> the type of the reader that the setting configures
 */
public final class GatewaySetting<D> {
  private final String name;
  private final String type;
  private final String standard;
  private final String doc;
  private final BiConsumer<D, ConfigValue> reader;
  private boolean isSecret;
  private boolean isInFiles = true;
  private boolean isFlag = true;
  private boolean isVariable;

  GatewaySetting(
      String name, String type, String standard, String doc, BiConsumer<D, ConfigValue> reader) {
    this.name = name;
    this.type = type;
    this.standard = standard;
    this.doc = doc;
    this.reader = reader;
  }

  /** Marks the setting as secret: no message shows its value. */
  GatewaySetting<D> secret() {
    isSecret = true;
    return this;
  }

  GatewaySetting<D> onlyInFiles() {
    isFlag = false;
    return this;
  }

  /**
   * Marks the setting as one that only an environment variable sets, whose text is used unchanged.
   */
  GatewaySetting<D> onlyInEnvironment() {
    isInFiles = false;
    isFlag = false;
    isVariable = true;
    return this;
  }

  GatewaySetting<D> notInFiles() {
    isInFiles = false;
    return this;
  }

  /** Returns the name, such as {@code admin-token}. */
  public String name() {
    return name;
  }

  /** Returns the form of its values, such as {@code enforce | observe}. */
  public String type() {
    return type;
  }

  /** Returns the default as text. */
  public String standard() {
    return standard;
  }

  /** Returns its documentation, one sentence. */
  public String doc() {
    return doc;
  }

  boolean isSecret() {
    return isSecret;
  }

  /** Returns whether there is a flag and an environment variable for it. */
  public boolean isFlag() {
    return isFlag;
  }

  /** Returns whether only an environment variable sets it. */
  public boolean isOnlyVariable() {
    return isVariable;
  }

  /** Returns whether a file may set it. */
  public boolean isInFiles() {
    return isInFiles;
  }

  /** Returns the environment variable for it. */
  public String variable() {
    return variable(name);
  }

  static String variable(String name) {
    return "RETRYSAFE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  void read(D target, ConfigValue value) {
    try {
      reader.accept(target, value);
    } catch (ConfigException e) {
      throw e;
    } catch (IllegalArgumentException | ArithmeticException e) {
      String was = isSecret ? "" : ", was " + value;
      throw value.location().error(name + " must be " + type + was + ": " + e.getMessage());
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
