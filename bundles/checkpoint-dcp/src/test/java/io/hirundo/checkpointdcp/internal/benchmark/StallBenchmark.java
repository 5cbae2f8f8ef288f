package io.hirundo.checkpointdcp.internal.benchmark;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice.HostTensor;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.session.AsyncOptions;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import io.hirundo.checkpointdcp.internal.session.SyncOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares how long an asynchronous save stalls training with a plain copy of the same bytes in memory and with a synchronous save. They
 * take turns, so that other load of the machine affects all of them.
 */
final class StallBenchmark {
    private final BenchmarkState state;
    private final MemorySegment target;
    private final List<Long> copies = new ArrayList<>();
    private final List<Long> stalls = new ArrayList<>();
    private final List<Long> totals = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    /** Processor time of the training's thread: what is left of the difference where the machine is loaded. */
    private final List<Long> copyWork = new ArrayList<>();

    private final List<Long> stallWork = new ArrayList<>();
    private long step;

    private StallBenchmark(Arena arena, long bytes) {
        state = BenchmarkState.of(arena, bytes, 0, 1);
        target = arena.allocate(bytes, DataFile.ALIGNMENT_BYTES);
    }

    /** Folder for the checkpoints, mebibytes, rounds. */
    public static void main(String[] arguments) {
        long bytes = Long.parseLong(arguments[1]) << 20;
        int rounds = Integer.parseInt(arguments[2]);
        Path folder = Path.of(arguments[0]);
        var device = new HostDevice();
        try (Arena arena = Arena.ofShared();
                var async = open(folder.resolve("async"), device, true);
                var sync = open(folder.resolve("sync"), device, false)) {
            var benchmark = new StallBenchmark(arena, bytes);
            // The first two touch the pool and let the compiler see everything.
            for (int round = -2; round < rounds; round++) {
                benchmark.round(async, sync, round >= 0);
            }
            benchmark.report(bytes);
        }
    }

    private static CheckpointSession open(Path folder, HostDevice device, boolean isAsync) {
        var context = new CheckpointContext(folder, ThreadWorld.alone(), device, device.newQueue("save"));
        return isAsync
                ? DcpSession.async(context, new AsyncOptions(), "benchmark", new DiskOperations())
                : DcpSession.sync(context, new SyncOptions(), "benchmark", new DiskOperations());
    }

    private void round(CheckpointSession async, CheckpointSession sync, boolean counts) {
        TrainingState now = state.at(++step);
        long work = workNanos();
        long begin = System.nanoTime();
        copy();
        long copied = System.nanoTime();
        long workOfCopy = workNanos() - work;
        var pending = async.save(now);
        long returned = System.nanoTime();
        long workOfSave = workNanos() - work - workOfCopy;
        pending.awaitDurable();
        long durable = System.nanoTime();
        sync.save(now).awaitDurable();
        long waited = System.nanoTime();
        if (counts) {
            copies.add(copied - begin);
            stalls.add(returned - copied);
            totals.add(durable - copied);
            waits.add(waited - durable);
            copyWork.add(workOfCopy);
            stallWork.add(workOfSave);
        }
    }

    private static long workNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void copy() {
        long at = 0;
        for (StateShard shard : state.shards()) {
            MemorySegment from = ((HostTensor) shard.local()).bytes();
            MemorySegment.copy(from, 0, target, at, from.byteSize());
            at += from.byteSize();
        }
    }

    private void report(long bytes) {
        double copy = millis(copies);
        double stall = millis(stalls);
        double wait = millis(waits);
        System.out.printf(
                Locale.ROOT,
                "RESULT: %d MiB: copy %.0f ms; dcp-async stall %.0f ms = %.2f copies (%.2f in"
                        + " processor time), durable after %.0f ms; sync %.0f ms = %.1f stalls%n",
                bytes >> 20,
                copy,
                stall,
                stall / copy,
                millis(stallWork) / millis(copyWork),
                millis(totals),
                wait,
                wait / stall);
    }

    private static double millis(List<Long> nanos) {
        return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow() / 1e6;
    }
}
