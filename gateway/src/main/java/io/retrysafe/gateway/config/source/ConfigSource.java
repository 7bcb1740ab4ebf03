// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of a gateway's configuration. Flags override the environment, which overrides the
 * file, which overrides defaults. Every {@link #get} reads the file again. A flag replaces a
 * top-level setting of the file; settings of single routes stay.
 */
public final class ConfigSource implements Supplier<GatewayConfig> {
  private static final String CONFIG = "config";
  private static final int LARGEST = 1 << 20;

  private final Map<String, String> flags;
  private final Map<String, String> environment;
  private final @Nullable Path file;
  private final Tokens otherwise;

  private ConfigSource(
      Map<String, String> flags,
      Map<String, String> environment,
      @Nullable Path file,
      Tokens otherwise) {
    this.flags = Map.copyOf(flags);
    this.environment = Map.copyOf(environment);
    this.file = file;
    this.otherwise = otherwise;
  }

  /**
   * Returns a source.
   *
   * @param flags values by flag name without leading hyphens, such as {@code lease}
   * @param environment all environment variables; those of settings begin with {@code RETRYSAFE_}
   */
  public static ConfigSource create(Map<String, String> flags, Map<String, String> environment) {
    return new ConfigSource(flags, environment, null, Tokens.NONE);
  }

  /** Returns a source that reads only a file. */
  public static ConfigSource ofFile(Path file) {
    return new ConfigSource(Map.of(), Map.of(), file, Tokens.NONE);
  }

  /** Returns this source with default tokens, which stay the same through reloads. */
  public ConfigSource tokensOtherwise(Tokens made) {
    return new ConfigSource(flags, environment, file, made);
  }

  /** Returns a commented sample file, which is valid as it is. */
  public static String sample() {
    try (var in = ConfigSource.class.getResourceAsStream("sample.yaml")) {
      if (in == null) {
        throw new IllegalStateException("the sample is missing from this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the sample cannot be read", e);
    }
  }

  /**
   * Reads the configuration.
   *
   * @throws ConfigException if it cannot be used
   */
  @Override
  public GatewayConfig get() {
    Map<String, ConfigValue> inline = inline();
    ConfigValue named = inline.get(CONFIG);
    Map<String, ConfigValue> values = new HashMap<>();
    Path directory = Path.of("");
    Optional<String> warning = Optional.empty();
    SourceLocation location = SourceLocation.of("--upstream");
    if (file != null) {
      location = SourceLocation.of(file.toString());
      directory = directory(file);
      values.putAll(members(file.toString(), text(location, file)));
      warning = warning(file, values);
    } else if (named != null) {
      location = SourceLocation.of(named.toString());
      Path path = path(named);
      directory = directory(path);
      values.putAll(members(named.toString(), text(named.location(), path)));
      warning = warning(path, values);
    }
    values.putAll(inline);
    ConfigReader reader = new ConfigReader(new ConfigDirectory(directory));
    warning.ifPresent(reader.config::warning);
    return build(reader, values, location);
  }

  /** Returns a warning if others can read a file with tokens, or addresses with passwords. */
  private static Optional<String> warning(Path file, Map<String, ConfigValue> values) {
    List<String> secrets = new ArrayList<>();
    for (GatewaySetting<ConfigReader> setting : GatewaySettings.own()) {
      ConfigValue value = values.get(setting.name());
      if (value != null && setting.isSecret() && holdsSecret(setting.name(), value.toString())) {
        secrets.add(setting.name());
      }
    }
    return secrets.isEmpty()
        ? Optional.empty()
        : SecretFiles.warning(file, String.join(", ", secrets));
  }

  private static boolean holdsSecret(String name, String value) {
    boolean isAddress = name.equals("store") || name.equals("near");
    return !isAddress || value.contains("@") || value.contains("password");
  }

  private static Path directory(Path file) {
    return file.toAbsolutePath().resolveSibling("");
  }

  private GatewayConfig build(
      ConfigReader reader, Map<String, ConfigValue> values, SourceLocation location) {
    reader.adminToken = otherwise.admin();
    reader.viewerToken = otherwise.viewer();
    for (Setting<?> setting : Settings.all()) {
      ConfigValue value = values.get(setting.name());
      if (value != null) {
        reader.setting(setting.name(), value);
      }
    }
    for (GatewaySetting<ConfigReader> setting : GatewaySettings.own()) {
      ConfigValue value = values.get(setting.name());
      if (value != null) {
        setting.read(reader, value);
      }
    }
    if (!reader.listen.isLoopback() && !values.containsKey("anonymous")) {
      ConfigValue listen = values.get("listen");
      throw (listen == null ? location : listen.location())
          .error(
              "anonymous must be set to refuse or shared, because "
                  + reader.listen
                  + " can be reached from other machines: say what callers without identity get");
    }
    return reader.build(location);
  }

  private static Path path(ConfigValue file) {
    try {
      return Path.of(file.text());
    } catch (InvalidPathException e) {
      throw file.location().error("\"" + file + "\" is not the name of a file");
    }
  }

  /** Reads a configuration from the text of a file, without flags and environment. */
  GatewayConfig ofText(String name, String text) {
    Map<String, ConfigValue> values = new HashMap<>(members(name, text));
    return build(
        new ConfigReader(new ConfigDirectory(Path.of(""))), values, SourceLocation.of(name));
  }

  private static Map<String, ConfigValue> members(String name, String text) {
    ConfigValue.Members members = YamlReader.file(name, text);
    List<String> allowed = new ArrayList<>();
    GatewaySettings.own().stream()
        .filter(GatewaySetting::isInFiles)
        .forEach(setting -> allowed.add(setting.name()));
    Settings.all().forEach(setting -> allowed.add(setting.name()));
    members.only("a configuration", allowed);
    return members.values();
  }

  /** Reads a file; {@code named} is the location of its name. */
  private static String text(SourceLocation named, Path path) {
    String what = named.source().equals(path.toString()) ? "the file" : "the file " + path;
    try {
      if (Files.size(path) > LARGEST) {
        throw named.error(what + " is larger than 1 MiB");
      }
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(path)))
          .toString();
    } catch (CharacterCodingException e) {
      throw SourceLocation.of(path.toString()).error("the file is not UTF-8");
    } catch (IOException e) {
      throw named.error(what + " cannot be read");
    }
  }

  /** Returns the values of flags and environment variables. An empty variable counts as unset. */
  private Map<String, ConfigValue> inline() {
    Map<String, ConfigValue> values = new HashMap<>();
    List<String> names = new ArrayList<>();
    GatewaySettings.own().stream()
        .filter(GatewaySetting::isFlag)
        .forEach(setting -> names.add(setting.name()));
    Settings.all().forEach(setting -> names.add(setting.name()));
    for (String name : names) {
      String variable = GatewaySetting.variable(name);
      String said = environment.getOrDefault(variable, "");
      if (!said.isBlank()) {
        values.put(name, YamlReader.inline(SourceLocation.of(variable), said));
      }
    }
    for (GatewaySetting<?> setting : GatewaySettings.own()) {
      String said = environment.getOrDefault(setting.variable(), "");
      if (setting.isOnlyVariable() && !said.isBlank()) {
        values.put(
            setting.name(), new ConfigValue.Text(SourceLocation.of(setting.variable()), said));
      }
    }
    flags.forEach(
        (name, said) -> {
          SourceLocation location = SourceLocation.of("--" + name);
          if (!names.contains(name)) {
            throw location.error(DidYouMean.unknown("the flags", name, names));
          }
          if (said.isBlank()) {
            throw location.error("a value is missing");
          }
          values.put(name, YamlReader.inline(location, said));
        });
    return values;
  }
}
