package io.hirundo.checkpointdcp.internal.benchmark;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.memory.MemoryOptions;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import io.hirundo.checkpointdcp.internal.session.TieredOptions;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * How long two ranks take to keep a checkpoint in memory, on both their nodes, and how long to write it to storage; and to load it from
 * either. In turns. What is read from storage was written a moment before: from the page cache, where there is one.
 */
final class TierBenchmark {
    private static final int RANKS = 2;

    /** In nanoseconds. */
    private record Round(
            long memoryStall,
            long memorySave,
            long storageStall,
            long storageSave,
            long memoryLoad,
            long storageLoad) {}

    private final ThreadWorld world;
    private final CheckpointSession session;
    private final BenchmarkState state;
    private long step;

    private TierBenchmark(ThreadWorld world, CheckpointSession session, BenchmarkState state) {
        this.world = world;
        this.session = session;
        this.state = state;
    }

    /** Folder on storage, folder in memory, mebibytes of the whole state, rounds. */
    public static void main(String[] arguments) {
        long bytes = Long.parseLong(arguments[2]) << 20;
        int rounds = Integer.parseInt(arguments[3]);
        var options = new TieredOptions(
                1, 0, 4 << 20, 4L << 30, 300, Integer.MAX_VALUE, new MemoryOptions(arguments[1], 1, 0));
        List<List<Round>> ofRanks = ThreadWorld.run(RANKS, world -> {
            var device = new HostDevice();
            var context = new CheckpointContext(
                    Path.of(arguments[0]).resolve("checkpoints"), world, device, device.newQueue("save"));
            try (Arena arena = Arena.ofShared();
                    var session = DcpSession.tiered(context, options, "benchmark", new DiskOperations())) {
                var state = BenchmarkState.of(arena, bytes, world.rank(), RANKS);
                var benchmark = new TierBenchmark((ThreadWorld) world, session, state);
                var measured = new ArrayList<Round>();
                // The first two touch the pool and let the compiler see everything.
                for (int round = -2; round < rounds; round++) {
                    measured.add(benchmark.round());
                }
                return measured.subList(2, measured.size());
            }
        });
        report(bytes, ofRanks.getFirst());
    }

    private Round round() {
        world.barrier();
        long begin = System.nanoTime();
        PendingSave inMemory = session.save(state.at(++step));
        long memoryStall = System.nanoTime() - begin;
        CheckpointInfo fromMemory = inMemory.awaitDurable();
        long memorySave = System.nanoTime() - begin;
        world.barrier();
        begin = System.nanoTime();
        PendingSave onStorage = session.saveDurably(state.at(++step));
        long storageStall = System.nanoTime() - begin;
        CheckpointInfo fromStorage = onStorage.awaitDurable();
        long storageSave = System.nanoTime() - begin;
        return new Round(
                memoryStall, memorySave, storageStall, storageSave, loadNanos(fromMemory), loadNanos(fromStorage));
    }

    private long loadNanos(CheckpointInfo checkpoint) {
        world.barrier();
        long begin = System.nanoTime();
        session.load(checkpoint, state.shards());
        return System.nanoTime() - begin;
    }

    private static void report(long bytes, List<Round> rounds) {
        double memorySave = millis(rounds.stream().mapToLong(Round::memorySave));
        double storageSave = millis(rounds.stream().mapToLong(Round::storageSave));
        double memoryLoad = millis(rounds.stream().mapToLong(Round::memoryLoad));
        double storageLoad = millis(rounds.stream().mapToLong(Round::storageLoad));
        System.out.printf(
                Locale.ROOT,
                "RESULT: %d MiB of %d ranks: in memory after %.0f ms (stall %.0f), on storage after %.0f ms (stall %.0f), %.1f times as long;"
                        + " loaded from memory in %.0f ms, from storage in %.0f ms%n",
                bytes >> 20,
                RANKS,
                memorySave,
                millis(rounds.stream().mapToLong(Round::memoryStall)),
                storageSave,
                millis(rounds.stream().mapToLong(Round::storageStall)),
                storageSave / memorySave,
                memoryLoad,
                storageLoad);
    }

    private static double millis(LongStream nanos) {
        long[] sorted = nanos.sorted().toArray();
        return sorted[sorted.length / 2] / 1e6;
    }
}
