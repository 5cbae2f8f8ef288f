package io.hirundo.stores3.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkSystemSetting;

class ConnectionTest {
    @TempDir
    private Path folder;

    private static S3Options with(String endpoint, KeyOptions keys) {
        return new S3Options("copies", "", "eu-central-1", endpoint, true, keys, new TransferOptions());
    }

    private static S3Session session(S3Options options) {
        return new S3Session(
                new Connection(options, name -> null).open(Connection.httpClient(options)), options, "run");
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
        S3Options options = with(
                null, new KeyOptions(null, null, null, folder.resolve("none").toString(), "default"));
        var failure = assertThrows(ConfigurationException.class, () -> session(options));
        assertTrue(failure.getMessage().startsWith("checkpoint.store.options.keys.file: "), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"not an address", "ftp://host", "https:", "//host", ""})
    void rejectsAnInvalidAddress(String endpoint) {
        var failure = assertThrows(ConfigurationException.class, () -> with(endpoint, new KeyOptions()));
        assertTrue(
                failure.getMessage().startsWith("endpoint: " + endpoint + " is not an address (allowed: https://HOST"),
                failure.getMessage());
    }

    /** Also where the rest is no address. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://key:S3CRET@host",
                "https://S3CRET@host:9000",
                "https://host/?X-Amz-Signature=S3CRET",
                "https://host#S3CRET",
                "https//key:S3CRET@host",
                "https://key:S3CRET@\n",
                "S3CRET@"
            })
    void rejectsASecretWithoutRepeatingIt(String endpoint) {
        var failure = assertThrows(ConfigurationException.class, () -> with(endpoint, new KeyOptions()));
        assertTrue(failure.getMessage().startsWith("endpoint: it holds more than a host"), failure.getMessage());
        for (Throwable each = failure; each != null; each = each.getCause()) {
            assertFalse(each.toString().contains("S3CRET"), each::toString);
        }
    }

    @Test
    void contactsNoHostForMissingKeys() throws IOException {
        Path file = folder.resolve("credentials");
        write(file, "something secret");
        String setting = SdkSystemSetting.AWS_EC2_METADATA_SERVICE_ENDPOINT.property();
        try (var metadata = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.setProperty(setting, "http://127.0.0.1:" + metadata.getLocalPort());
            S3Options options =
                    with("http://127.0.0.1:9", new KeyOptions(null, null, null, file.toString(), "another"));
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
