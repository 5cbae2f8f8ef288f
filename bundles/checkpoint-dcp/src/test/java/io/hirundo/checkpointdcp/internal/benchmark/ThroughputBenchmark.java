package io.hirundo.checkpointdcp.internal.benchmark;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.session.AsyncOptions;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import io.hirundo.checkpointdcp.internal.session.SyncOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Compares the write throughput of a save with {@code dd oflag=direct} for the same number of bytes in the same folder; both take turns.
 * Also measures the host memory that {@code dcp-async} takes where its limit is smaller than the state.
 */
final class ThroughputBenchmark {
    private static final int WARM_UP_ROUNDS = 2;
    private static final int MEMORY_SAVES = 3;

    private final Path folder;
    private final long bytes;
    private final List<Long> dd = new ArrayList<>();
    private final List<Long> async = new ArrayList<>();
    private final List<Long> sync = new ArrayList<>();

    private ThroughputBenchmark(Path folder, long bytes) {
        this.folder = folder;
        this.bytes = bytes;
    }

    /** Folder for the checkpoints, mebibytes, rounds, mebibytes of staging. */
    public static void main(String[] arguments) throws IOException {
        var benchmark = new ThroughputBenchmark(Path.of(arguments[0]), Long.parseLong(arguments[1]) << 20);
        benchmark.run(Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]) << 20);
    }

    private void run(int rounds, long stagingBytes) throws IOException {
        var device = new HostDevice();
        var asyncOptions = new AsyncOptions(1, 0, new AsyncOptions().chunkBytes(), stagingBytes, 300);
        var syncOptions = new SyncOptions(1, 0, new SyncOptions().chunkBytes());
        try (Arena arena = Arena.ofShared();
                var asyncSession =
                        DcpSession.async(context("async", device), asyncOptions, "benchmark", new DiskOperations());
                var syncSession =
                        DcpSession.sync(context("sync", device), syncOptions, "benchmark", new DiskOperations())) {
            BenchmarkState state = BenchmarkState.of(arena, bytes, 0, 1);
            warmUp(device, arena);
            ProcessMemory grown = memoryOf(asyncSession, state);
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                long step = MEMORY_SAVES + round + WARM_UP_ROUNDS + 1;
                long begin = System.nanoTime();
                runDd();
                long written = System.nanoTime();
                save(asyncSession, state, step);
                long saved = System.nanoTime();
                save(syncSession, state, step);
                long ended = System.nanoTime();
                if (round >= 0) {
                    dd.add(written - begin);
                    async.add(saved - written);
                    sync.add(ended - saved);
                }
            }
            report(stagingBytes, grown);
        }
    }

    /** How much memory grows by saves with {@code dcp-async} alone, before anything else has run that takes buffers. */
    private static ProcessMemory memoryOf(CheckpointSession session, BenchmarkState state) {
        ProcessMemory before = ProcessMemory.now();
        ProcessMemory peak = before;
        for (long step = 1; step <= MEMORY_SAVES; step++) {
            save(session, state, step);
            peak = peak.max(ProcessMemory.now());
        }
        return peak.minus(before);
    }

    /** Loads classes and compiles code before memory is measured; its own buffers of 8 MiB are released. */
    private void warmUp(HostDevice device, Arena arena) {
        BenchmarkState small = BenchmarkState.of(arena, 64 << 20, 0, 1);
        var options = new AsyncOptions(1, 0, new AsyncOptions().chunkBytes(), 8 << 20, 300);
        try (var session = DcpSession.async(context("warm-up", device), options, "benchmark", new DiskOperations())) {
            for (long step = 1; step <= 10; step++) {
                save(session, small, step);
            }
        }
    }

    private CheckpointContext context(String name, HostDevice device) {
        return new CheckpointContext(folder.resolve(name), ThreadWorld.alone(), device, device.newQueue("save"));
    }

    private static void save(CheckpointSession session, BenchmarkState state, long step) {
        session.save(state.at(step)).awaitDurable();
    }

    private void runDd() throws IOException {
        Path file = folder.resolve("dd");
        var command = List.of(
                "dd",
                "if=/dev/zero",
                "of=" + file,
                "bs=4M",
                "count=" + (bytes >> 22),
                "oflag=direct",
                "conv=fsync",
                "status=none");
        try {
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + code);
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted while dd wrote", e);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private void report(long stagingBytes, ProcessMemory grown) {
        double raw = seconds(dd);
        double[] asyncRatio = ratios(async);
        double[] syncRatio = ratios(sync);
        System.out.printf(
                Locale.ROOT,
                "RESULT: %d MiB: dd oflag=direct %.0f MB/s; dcp-async %.0f MB/s = %.2f of it (%.2f to %.2f); sync %.0f MB/s = %.2f of it"
                        + " (%.2f to %.2f); memory grew by %d MiB: %d of staging, as allowed, %d of Java heap, %d of classes and compiled code%n",
                bytes >> 20,
                speed(raw),
                speed(seconds(async)),
                asyncRatio[asyncRatio.length / 2],
                asyncRatio[0],
                asyncRatio[asyncRatio.length - 1],
                speed(seconds(sync)),
                syncRatio[syncRatio.length / 2],
                syncRatio[0],
                syncRatio[syncRatio.length - 1],
                grown.residentBytes() >> 20,
                stagingBytes >> 20,
                grown.heapBytes() >> 20,
                grown.codeBytes() >> 20);
    }

    /** To dd of the same round, sorted. */
    private double[] ratios(List<Long> saves) {
        return IntStream.range(0, saves.size())
                .mapToDouble(round -> (double) dd.get(round) / saves.get(round))
                .sorted()
                .toArray();
    }

    private double speed(double seconds) {
        return bytes / seconds / 1e6;
    }

    private static double seconds(List<Long> nanos) {
        return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow() / 1e9;
    }
}
