package io.hirundo.checkpointdcp.internal.benchmark;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.ThrottledDisk;
import io.hirundo.checkpointdcp.internal.session.AsyncOptions;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import io.hirundo.mesh.World;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The time until one and the same state is durable, by the number of ranks that write it, on a store that takes 100 MB/s from each
 * writer; from the call to the commit, all collectives, checksums and syncs within.
 */
final class WritersBenchmark {
    private static final long BYTES_PER_SECOND = 100_000_000;
    private static final List<Integer> WRITERS = List.of(1, 2, 4, 8);

    private final Path folder;
    private final long bytes;
    private final int rounds;

    private WritersBenchmark(Path folder, long bytes, int rounds) {
        this.folder = folder;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    /** Folder for the checkpoints, mebibytes of the whole state, rounds. */
    public static void main(String[] arguments) {
        new WritersBenchmark(Path.of(arguments[0]), Long.parseLong(arguments[1]) << 20, Integer.parseInt(arguments[2]))
                .run();
    }

    private void run() {
        double alone = 0;
        for (int writers : WRITERS) {
            double seconds = median(writers);
            alone = writers == 1 ? seconds : alone;
            System.out.printf(
                    Locale.ROOT,
                    "RESULT: %d MiB, %d writers of %d MB/s: %.2f s = %.2f of linear%n",
                    bytes >> 20,
                    writers,
                    BYTES_PER_SECOND / 1_000_000,
                    seconds,
                    alone / seconds / writers);
        }
    }

    private double median(int writers) {
        List<List<Long>> nanos = ThreadWorld.run(writers, world -> save(world, writers));
        var slowest = new ArrayList<Long>();
        for (int round = 0; round < rounds; round++) {
            int each = round;
            slowest.add(nanos.stream().mapToLong(rank -> rank.get(each)).max().orElseThrow());
        }
        return slowest.stream().sorted().skip(rounds / 2).findFirst().orElseThrow() / 1e9;
    }

    /** The first save is not counted. */
    private List<Long> save(World world, int writers) {
        var device = new HostDevice();
        var context = new CheckpointContext(folder.resolve("by-" + writers), world, device, device.newQueue("save"));
        var options = new AsyncOptions(1, 0, new AsyncOptions().chunkBytes(), bytes, 300);
        var disk = new ThrottledDisk(new DiskOperations(), BYTES_PER_SECOND);
        try (Arena arena = Arena.ofShared();
                var session = DcpSession.async(context, options, "benchmark", disk)) {
            BenchmarkState state = BenchmarkState.of(arena, bytes, world.rank(), writers);
            var nanos = new ArrayList<Long>();
            for (int round = -1; round < rounds; round++) {
                long begin = System.nanoTime();
                session.save(state.at(round + 2)).awaitDurable();
                if (round >= 0) {
                    nanos.add(System.nanoTime() - begin);
                }
            }
            return nanos;
        }
    }
}
