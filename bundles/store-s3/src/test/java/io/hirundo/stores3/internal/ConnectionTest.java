package io.hirundo.stores3.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.StoreException;
import io.hirundo.stores3.internal.S3Options.KeyOptions;
import io.hirundo.stores3.internal.S3Options.TransferOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.SdkSystemSetting;

class ConnectionTest {
  @TempDir private Path folder;

  private static S3Options with(String endpoint, KeyOptions keys) {
    return new S3Options("copies", "", "eu-central-1", endpoint, true, keys, new TransferOptions());
  }

  private static S3Session session(S3Options options) {
    return new S3Session(new Connection(options, name -> null).open(Connection.httpClient(options)), options, "run");
  }

  @Test
  void readsKeysFromAFileAndRereadsIt() throws IOException {
    try (var server = new Server()) {
      Path file = folder.resolve("credentials");
      write(file, "a guess");
      S3Options options = with(server.endpoint(), new KeyOptions(null, null, null, file.toString(), "training"));
      try (var session = session(options)) {
        assertThrows(ConfigurationException.class, session::list);
      }
      write(file, "something secret");
      try (var session = session(options)) {
        assertEquals(List.of(), session.list());
      }
    }
  }

  private static void write(Path file, String secret) throws IOException {
    Files.writeString(file, "[training]\naws_access_key_id = somebody\naws_secret_access_key = " + secret + "\n");
  }

  @Test
  void reportsAMissingFile() {
    S3Options options = with(null, new KeyOptions(null, null, null, folder.resolve("none").toString(), "default"));
    var failure = assertThrows(ConfigurationException.class, () -> session(options));
    assertTrue(failure.getMessage().startsWith("checkpoint.store.options.keys.file: "), failure.getMessage());
  }

  @Test
  void rejectsAnInvalidAddress() {
    var connection = new Connection(with("not an address", new KeyOptions("ID", "SECRET", null, null, null)), name -> "x");
    var failure = assertThrows(ConfigurationException.class, () -> connection.open(Connection.httpClient(new S3Options())));
    assertTrue(failure.getMessage().startsWith("checkpoint.store.options.endpoint: "), failure.getMessage());
  }

  @Test
  void contactsNoHostForMissingKeys() throws IOException {
    Path file = folder.resolve("credentials");
    write(file, "something secret");
    String setting = SdkSystemSetting.AWS_EC2_METADATA_SERVICE_ENDPOINT.property();
    try (var metadata = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      System.setProperty(setting, "http://127.0.0.1:" + metadata.getLocalPort());
      S3Options options = with("http://127.0.0.1:9", new KeyOptions(null, null, null, file.toString(), "another"));
      try (var session = session(options)) {
        assertThrows(StoreException.class, session::list);
      }
      metadata.setSoTimeout(1);
      assertThrows(SocketTimeoutException.class, metadata::accept);
    } finally {
      System.clearProperty(setting);
    }
  }
}
