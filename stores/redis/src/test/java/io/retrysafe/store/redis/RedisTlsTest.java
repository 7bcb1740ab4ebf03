// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis behind TLS, with a certificate that nobody signed. */
final class RedisTlsTest {
  private static final String PASSWORD = "changeit";

  @Test
  void redissSpeaksTlsWithServersThatItCanTrust(@TempDir Path folder) throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy tls = FaultProxy.start(server.port(), sockets(folder))) {
      String url = "rediss://127.0.0.1:" + tls.port();
      try (RedisStore store = RedisStore.create(url + "?verifyPeer=NONE")) {
        assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      }
      RedisStore.Builder strict = RedisStore.builder(url).startWithin(Duration.ofMillis(300));
      assertThatThrownBy(strict::build)
          .isInstanceOf(NoAnswerException.class)
          .hasStackTraceContaining("unable to find valid certification path");
    }
  }

  private static ServerSocketFactory sockets(Path folder) throws Exception {
    Path file = folder.resolve("redis.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context.getServerSocketFactory();
  }
}
