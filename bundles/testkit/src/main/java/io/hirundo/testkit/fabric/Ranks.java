package io.hirundo.testkit.fabric;

import io.hirundo.device.ComputeBackend;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Runs a program on every rank of a mesh, each on its own thread with its own device, and collects what it returned or threw.
 *
 * @param fabrics by rank
 * @param leftBehind finds what a closed world left running; anything is a failure
 * @param aborts whether a failing rank aborts its world; otherwise it only closes it
 */
public record Ranks(
        Mesh mesh,
        List<Fabric> fabrics,
        ComputeBackend backend,
        Function<World, List<String>> leftBehind,
        boolean aborts) {
    /** What every rank does. */
    public interface Program<T> {
        T run(Rank rank) throws Exception;
    }

    /** Result or failure of one rank. */
    public record Outcome<T>(T value, Throwable failure) {}

    /** The ranks of a contract's fabric, with this deadline. */
    public static Ranks of(FabricOffer offer, Mesh mesh, int timeoutSeconds) {
        return new Ranks(mesh, offer.fabrics(mesh.ranks(), timeoutSeconds), offer.backend(), offer::leftBehind, true);
    }

    public static Mesh mesh(int tensor, int pipeline, int data) {
        var sizes = new LinkedHashMap<Axis, Integer>();
        sizes.put(Axis.TENSOR, tensor);
        sizes.put(Axis.PIPELINE, pipeline);
        sizes.put(Axis.DATA, data);
        return new Mesh(sizes);
    }

    public Ranks on(ComputeBackend other) {
        return new Ranks(mesh, fabrics, other, leftBehind, aborts);
    }

    /** A failing rank only closes its world. */
    public Ranks withoutAbort() {
        return new Ranks(mesh, fabrics, backend, leftBehind, false);
    }

    /** Returns the results of all ranks, or throws the first failure. */
    public <T> List<T> run(Program<T> program) {
        var values = new ArrayList<T>();
        for (Outcome<T> outcome : outcomes(program)) {
            if (outcome.failure() != null) {
                throw new AssertionError(outcome.failure().toString(), outcome.failure());
            }
            values.add(outcome.value());
        }
        return values;
    }

    /** Outcomes of all ranks, in rank order. */
    public <T> List<Outcome<T>> outcomes(Program<T> program) {
        var running = new ArrayList<CompletableFuture<Outcome<T>>>();
        var unclosed = new ArrayList<Throwable>();
        for (int rank = 0; rank < mesh.ranks(); rank++) {
            var outcome = new CompletableFuture<Outcome<T>>();
            int own = rank;
            running.add(outcome);
            Thread.ofPlatform()
                    .name("rank " + rank)
                    .daemon()
                    .start(() -> outcome.complete(outcome(own, program, unclosed)));
        }
        var outcomes = running.stream()
                .map(outcome -> outcome.orTimeout(60, TimeUnit.SECONDS).join())
                .toList();
        if (!unclosed.isEmpty()) {
            throw new AssertionError(unclosed.getFirst().toString(), unclosed.getFirst());
        }
        return outcomes;
    }

    private <T> Outcome<T> outcome(int rank, Program<T> program, List<Throwable> unclosed) {
        T value = null;
        Throwable failure = null;
        try (Bench bench = Bench.open(backend)) {
            World world = fabrics.get(rank).connect(rank, mesh, bench.device());
            try {
                value = program.run(new Rank(rank, world, bench));
            } catch (Throwable e) {
                failure = e;
                if (aborts) {
                    world.abort(e);
                }
            }
            world.close();
            List<String> left = leftBehind.apply(world);
            if (!left.isEmpty()) {
                throw new AssertionError("rank " + rank + " closed its world and left behind " + left);
            }
        } catch (Throwable e) {
            var error = new AssertionError("rank " + rank + " could not close: " + e.getMessage(), e);
            if (failure != null) {
                error.addSuppressed(failure);
            }
            synchronized (unclosed) {
                unclosed.add(error);
            }
        }
        return new Outcome<>(value, failure);
    }
}
