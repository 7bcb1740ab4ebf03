// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * A setting of the gateway itself: its one name in files, flags and the environment, what it takes
 * and what it is for. Instances are in {@link GatewaySettings}.
 *
 * @param <D> what is set
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

  /** Says that no message may show its value. */
  GatewaySetting<D> secret() {
    isSecret = true;
    return this;
  }

  GatewaySetting<D> onlyInFiles() {
    isFlag = false;
    return this;
  }

  /** Says that only an environment variable sets it, whose text is taken as it is. */
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

  /** Returns what values look like, such as {@code enforce | observe}. */
  public String type() {
    return type;
  }

  /** Returns the default as it would be written, or what holds without it. */
  public String standard() {
    return standard;
  }

  /** Returns what it is for, in a sentence. */
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

  /** Returns whether it can stand in a file. */
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
