package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.trainer.internal.fixture.HookedStore;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose checkpoints are copied to a store that a test can block. */
abstract class CopiedRuns {
    @TempDir
    Path folder;

    final HookedStore store = new HookedStore();
    Path away;

    @BeforeEach
    void makeStore() throws IOException {
        away = Files.createDirectory(folder.resolve("away"));
    }

    SteeredRun prepared(int ranks, Map<String, Object> more) {
        var run = new SteeredRun(folder.resolve("runs"));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("checkpoint-store", "hooked", store);
        var section = new HashMap<String, Object>();
        section.put("strategy", Map.of("name", "sync", "options", Map.of("keepLast", 1)));
        section.put("everySteps", 4);
        section.put("store", Map.of("name", "hooked", "options", Map.of("path", away.toString())));
        section.putAll(more);
        return run.with("mesh", Map.of("data", ranks)).with("checkpoint", section);
    }

    List<Long> copies() {
        return HookedStore.copies(away, "steered").stream()
                .map(StoredCheckpoint::step)
                .toList();
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
