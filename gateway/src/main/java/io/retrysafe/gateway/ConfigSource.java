// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

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
 * Where the configuration of a gateway comes from: flags before the environment before a file
 * before defaults. Every {@link #get} reads the file again. A flag sets what stands at the top of a
 * file; what a route there says for itself stays.
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
   * @param flags by their names without hyphens before them, such as {@code lease}
   * @param environment all environment variables; those of settings begin with {@code RETRYSAFE_}
   */
  public static ConfigSource create(Map<String, String> flags, Map<String, String> environment) {
    return new ConfigSource(flags, environment, null, Tokens.NONE);
  }

  /** Returns a source that is a file alone. */
  public static ConfigSource ofFile(Path file) {
    return new ConfigSource(Map.of(), Map.of(), file, Tokens.NONE);
  }

  /** Returns this source with tokens where none are given: they stay through reloads. */
  public ConfigSource tokensOtherwise(Tokens made) {
    return new ConfigSource(flags, environment, file, made);
  }

  /** Returns a commented sample of a file, which can be used as it is. */
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
    Map<String, Value> inline = inline();
    Value named = inline.get(CONFIG);
    Map<String, Value> values = new HashMap<>();
    Path folder = Path.of("");
    Optional<String> warning = Optional.empty();
    Place place = Place.of("--upstream");
    if (file != null) {
      place = Place.of(file.toString());
      folder = folder(file);
      values.putAll(members(file.toString(), text(place, file)));
      warning = warning(file, values);
    } else if (named != null) {
      place = Place.of(named.toString());
      Path path = path(named);
      folder = folder(path);
      values.putAll(members(named.toString(), text(named.place(), path)));
      warning = warning(path, values);
    }
    values.putAll(inline);
    Draft draft = new Draft(new Folder(folder));
    warning.ifPresent(draft.config::warning);
    return build(draft, values, place);
  }

  /** Returns a warning if others can read a file with tokens, or addresses with passwords. */
  private static Optional<String> warning(Path file, Map<String, Value> values) {
    List<String> secrets = new ArrayList<>();
    for (GatewaySetting<Draft> setting : GatewaySettings.own()) {
      Value value = values.get(setting.name());
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

  private static Path folder(Path file) {
    return file.toAbsolutePath().resolveSibling("");
  }

  private GatewayConfig build(Draft draft, Map<String, Value> values, Place place) {
    draft.adminToken = otherwise.admin();
    draft.viewerToken = otherwise.viewer();
    for (Setting<?> setting : Settings.all()) {
      Value value = values.get(setting.name());
      if (value != null) {
        draft.setting(setting.name(), value);
      }
    }
    for (GatewaySetting<Draft> setting : GatewaySettings.own()) {
      Value value = values.get(setting.name());
      if (value != null) {
        setting.read(draft, value);
      }
    }
    if (!draft.listen.isLoopback() && !values.containsKey("anonymous")) {
      Value listen = values.get("listen");
      throw (listen == null ? place : listen.place())
          .error(
              "anonymous must be set to refuse or shared, because "
                  + draft.listen
                  + " can be reached from other machines: say what callers without identity get");
    }
    return draft.build(place);
  }

  private static Path path(Value file) {
    try {
      return Path.of(file.text());
    } catch (InvalidPathException e) {
      throw file.place().error("\"" + file + "\" is not the name of a file");
    }
  }

  /** Reads what a file would say, and nothing else. */
  GatewayConfig ofText(String name, String text) {
    Map<String, Value> values = new HashMap<>(members(name, text));
    return build(new Draft(new Folder(Path.of(""))), values, Place.of(name));
  }

  private static Map<String, Value> members(String name, String text) {
    Value.Members members = Yaml.file(name, text);
    List<String> allowed = new ArrayList<>();
    GatewaySettings.own().stream()
        .filter(GatewaySetting::isInFiles)
        .forEach(setting -> allowed.add(setting.name()));
    Settings.all().forEach(setting -> allowed.add(setting.name()));
    members.only("a configuration", allowed);
    return members.values();
  }

  /** Reads a file; {@code named} is where its name was given. */
  private static String text(Place named, Path path) {
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
      throw Place.of(path.toString()).error("the file is not UTF-8");
    } catch (IOException e) {
      throw named.error(what + " cannot be read");
    }
  }

  /** Returns what flags and the environment say. An empty variable is none. */
  private Map<String, Value> inline() {
    Map<String, Value> values = new HashMap<>();
    List<String> names = new ArrayList<>();
    GatewaySettings.own().stream()
        .filter(GatewaySetting::isFlag)
        .forEach(setting -> names.add(setting.name()));
    Settings.all().forEach(setting -> names.add(setting.name()));
    for (String name : names) {
      String variable = GatewaySetting.variable(name);
      String said = environment.getOrDefault(variable, "");
      if (!said.isBlank()) {
        values.put(name, Yaml.inline(Place.of(variable), said));
      }
    }
    for (GatewaySetting<?> setting : GatewaySettings.own()) {
      String said = environment.getOrDefault(setting.variable(), "");
      if (setting.isOnlyVariable() && !said.isBlank()) {
        values.put(setting.name(), new Value.Text(Place.of(setting.variable()), said));
      }
    }
    flags.forEach(
        (name, said) -> {
          Place place = Place.of("--" + name);
          if (!names.contains(name)) {
            throw place.error(Names.unknown("the flags", name, names));
          }
          if (said.isBlank()) {
            throw place.error("a value is missing");
          }
          values.put(name, Yaml.inline(place, said));
        });
    return values;
  }
}
