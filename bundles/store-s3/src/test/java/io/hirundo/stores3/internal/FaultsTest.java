package io.hirundo.stores3.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.lib.store.CopyIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** What goes wrong between here and a bucket. */
@Timeout(120)
class FaultsTest {
    private static final int PARTS = 4;
    private static final int PART_BYTES = 5 << 20;

    /** Contents by seed: making them for each test would take longer than copying them. */
    private static final Map<Integer, byte[]> CONTENTS = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    private Server server;
    private CheckpointInfo checkpoint;

    @BeforeEach
    void start() throws IOException {
        server = new Server();
        checkpoint = checkpoint(1);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** One file of four parts, the last of which is short. */
    private CheckpointInfo checkpoint(int seed) throws IOException {
        Path path = Files.createDirectories(folder.resolve("step-1"));
        byte[] bytes = CONTENTS.computeIfAbsent(seed, FaultsTest::contents);
        Files.write(path.resolve("data"), bytes);
        return new CheckpointInfo(path, 1, bytes.length);
    }

    private static byte[] contents(int seed) {
        byte[] bytes = new byte[(PARTS - 1) * PART_BYTES + 1234];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private FaultyHttp http(Server to) {
        return new FaultyHttp(Connection.httpClient(to.options()));
    }

    /** Parts one after the other, so that it is known which have arrived. */
    private static S3Session oneByOne(Server server, FaultyHttp http) {
        var options = server.options();
        var slow = new S3Options(
                options.bucket(),
                options.prefix(),
                options.region(),
                options.endpoint(),
                true,
                options.keys(),
                new S3Options.TransferOptions(PART_BYTES, 1));
        return new S3Session(Server.connection(slow).open(http), slow, "run");
    }

    /** Leaves an upload of which parts 1 and 2 are there. */
    private void cutOff() {
        var http = http(server);
        http.lost = request -> FaultyHttp.part(request) == 3;
        try (var session = oneByOne(server, http)) {
            var failure = assertThrows(StoreException.class, () -> session.put(checkpoint, done -> {}));
            assertTrue(failure.getMessage().contains("connection reset"), failure.getMessage());
            assertEquals(List.of(), session.list());
        }
        assertEquals(1, server.bucket().uploads("").size());
    }

    private void requireWhole(S3Session session) throws IOException {
        StoredCheckpoint copy = session.list().getFirst();
        Path into = Files.createTempDirectory(folder, "fetched");
        session.get(copy, into, done -> {});
        assertEquals(
                -1, Files.mismatch(checkpoint.path().resolve("data"), into.resolve("data")), "first byte that differs");
        assertEquals(List.of(), server.bucket().uploads(""));
    }

    @Test
    void resumesAnInterruptedUploadWithTheMissingParts() throws IOException {
        cutOff();
        var http = http(server);
        try (var session = oneByOne(server, http)) {
            session.put(checkpoint, done -> {});
            assertEquals(List.of(3, 4), http.parts());
            requireWhole(session);
        }
    }

    @Test
    void resendsAPartWithAWrongChecksum() throws IOException {
        cutOff();
        var upload = server.bucket().uploads("").getFirst();
        server.bucket().putPart(upload.key(), upload.uploadId(), 1, RequestBody.fromBytes(new byte[PART_BYTES]), null);
        var http = http(server);
        try (var session = oneByOne(server, http)) {
            session.put(checkpoint, done -> {});
            assertEquals(List.of(1, 3, 4), http.parts());
            requireWhole(session);
        }
    }

    @Test
    void removesAnUnfinishedUploadOfOtherContents() throws IOException {
        cutOff();
        checkpoint = checkpoint(2);
        try (var session = server.session()) {
            session.put(checkpoint, done -> {});
            requireWhole(session);
        }
    }

    @Test
    void detectsABitFlippedInTransit() {
        var http = http(server);
        http.flipped = request -> FaultyHttp.part(request) == 2;
        try (var session = server.session(http)) {
            assertThrows(HirundoException.class, () -> session.put(checkpoint, done -> {}));
            assertEquals(List.of(), session.list());
        }
    }

    @Test
    void retriesABusyServer() throws IOException {
        var http = http(server);
        var first = new AtomicBoolean(true);
        http.busy = request -> FaultyHttp.part(request) == 2 && first.getAndSet(false);
        try (var session = server.session(http)) {
            session.put(checkpoint, done -> {});
            requireWhole(session);
        }
    }

    @Test
    void reportsTheStatusOfABusyServer() {
        var http = http(server);
        http.busy = request -> true;
        try (var session = server.session(http)) {
            var failure = assertThrows(StoreException.class, session::list);
            assertTrue(failure.getMessage().startsWith("s3://copies at " + server.endpoint()), failure.getMessage());
            assertTrue(failure.getMessage().contains("503"), failure.getMessage());
        }
    }

    @Test
    void retriesATruncatedResponse() throws IOException {
        var http = http(server);
        var first = new AtomicBoolean(true);
        try (var session = server.session(http)) {
            session.put(checkpoint, done -> {});
            http.brokenOff = request -> request.firstMatchingHeader("Range").isPresent() && first.getAndSet(false);
            requireWhole(session);
        }
    }

    @Test
    void losingTheServerIsNotDamage() throws IOException {
        var http = http(server);
        try (var session = server.session(http)) {
            session.put(checkpoint, done -> {});
            StoredCheckpoint copy = session.list().getFirst();
            http.lost = request -> request.firstMatchingHeader("Range").isPresent();
            assertThrows(
                    StoreException.class,
                    () -> session.get(copy, Files.createTempDirectory(folder, "fetched"), done -> {}));
            http.lost = request -> false;
            Path full = Files.createFile(folder.resolve("full"));
            assertThrows(
                    StorageException.class, () -> session.get(copy, full, done -> {}), "what cannot be written here");
        }
    }

    @Test
    void interruptIsNotALocalDiskFailure() throws IOException {
        Path into = Files.createDirectory(folder.resolve("fetched"));
        var empty = new CopyIndex(1, PART_BYTES, List.of());
        Thread.currentThread().interrupt();
        try {
            // Nothing is left to do but to sync.
            assertThrows(
                    StoreException.class,
                    () -> LocalFiles.fetch(null, empty, file -> "", into, new Parallel(1), done -> {}));
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void keepsForeignObjectsBelowThePrefix() {
        var others = List.of(
                "some/prefix/run/notes",
                "some/prefix/run/other/step-5.index",
                "some/prefix/run/other/step-5.0123abcd/data");
        others.forEach(key -> server.bucket().putText(key, "of somebody else"));
        String begun = server.bucket().beginUpload("some/prefix/run/other/step-6.0123abcd/data");
        try (var session = server.session()) {
            session.put(checkpoint, done -> {});
        }
        assertTrue(server.bucket().list("").keySet().containsAll(others));
        assertEquals(
                List.of(begun),
                server.bucket().uploads("").stream()
                        .map(MultipartUpload::uploadId)
                        .toList());
    }

    @Test
    void replacesADamagedObjectOfAnEarlierAttempt() throws IOException {
        try (var session = server.session()) {
            session.put(checkpoint, done -> {});
            for (String key : server.bucket().list("").keySet()) {
                if (key.endsWith("/data")) {
                    server.bucket()
                            .put(
                                    key,
                                    RequestBody.fromBytes(
                                            new byte
                                                    [(int) Files.size(
                                                            checkpoint.path().resolve("data"))]),
                                    null);
                }
            }
            session.put(checkpoint, done -> {});
            requireWhole(session);
        }
    }

    @Test
    void namesAMissingBucket() {
        S3Options options = server.options("no-such-bucket");
        try (var session = new S3Session(Server.connection(options).open(http(server)), options, "run")) {
            var failure = assertThrows(ConfigurationException.class, session::list);
            assertTrue(
                    failure.getMessage()
                            .startsWith("checkpoint.store.options: s3://no-such-bucket at " + server.endpoint()),
                    failure.getMessage());
            assertThrows(ConfigurationException.class, () -> session.put(checkpoint, done -> {}));
        }
    }

    @Test
    void reportsWrongOrMissingKeys() {
        var wrong = new Connection(
                server.options(), new HashMap<>(Map.of("TEST_ID", "somebody", "TEST_SECRET", "a guess"))::get);
        try (var session = new S3Session(wrong.open(http(server)), server.options(), "run")) {
            assertThrows(ConfigurationException.class, session::list);
        }
        var missing = new Connection(server.options(), name -> null);
        var failure = assertThrows(ConfigurationException.class, () -> missing.open(http(server)));
        assertTrue(failure.getMessage().contains("environment variable TEST_ID is not set"), failure.getMessage());
    }
}
