package io.hirundo.testkit.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** Writes synthetic checkpoints, and compares what a store returns with them. */
public final class StoreFixture {
    public static final String RUN = "fixture";

    /** Bytes of each file: none, few, and more than 5 MiB, the smallest part of a multipart upload that object stores allow. */
    private static final Map<String, Integer> FILES =
            Map.of("manifest.json", 100, "empty", 0, "below/part.data", 5000, "rank-00000.data", (5 << 20) + 12345);

    private final Path folder;
    private final CheckpointStore store;

    public StoreFixture(Path folder, CheckpointStore store) {
        this.folder = folder;
        this.store = store;
    }

    public StoreSession open() {
        return store.open(RUN);
    }

    /** Writes a checkpoint; its contents depend on the seed only. */
    public CheckpointInfo checkpoint(long step, int seed) throws IOException {
        Path path = folder.resolve("checkpoints").resolve("step-" + step);
        long bytes = 0;
        for (var file : FILES.entrySet()) {
            Files.createDirectories(path.resolve(file.getKey()).getParent());
            Files.write(path.resolve(file.getKey()), contents(file.getKey(), seed));
            bytes += file.getValue();
        }
        return new CheckpointInfo(path, step, bytes);
    }

    private static byte[] contents(String name, int seed) {
        byte[] bytes = new byte[FILES.get(name)];
        new Random(seed * 31L + name.hashCode()).nextBytes(bytes);
        return bytes;
    }

    public List<Path> files(Path below) throws IOException {
        try (Stream<Path> paths = Files.walk(below)) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Fetches a copy and compares it with what {@link #checkpoint} wrote for the seed. */
    public void requireSame(StoreSession session, StoredCheckpoint copy, int seed) throws IOException {
        Path into = Files.createTempDirectory(folder, "fetched");
        session.get(copy, into, done -> {});
        assertEquals(
                FILES.keySet().stream().sorted().toList(),
                files(into).stream()
                        .map(file -> into.relativize(file).toString())
                        .sorted()
                        .toList());
        for (String name : FILES.keySet()) {
            assertArrayEquals(contents(name, seed), Files.readAllBytes(into.resolve(name)), name);
        }
    }

    public void requireRejected(StoreSession session, StoredCheckpoint copy, String damage) throws IOException {
        Path into = Files.createTempDirectory(folder, "rejected");
        assertThrows(CheckpointException.class, () -> session.get(copy, into, done -> {}), damage);
    }
}
