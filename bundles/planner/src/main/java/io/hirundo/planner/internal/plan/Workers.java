package io.hirundo.planner.internal.plan;

import io.hirundo.lib.engine.rank.RankTeam;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Runs independent work on one thread per processor. */
final class Workers {
    private Workers() {}

    /** Returns when all work has ended. After a failure no further work begins, and the first failure is thrown. */
    static <T> void each(List<T> all, Consumer<T> work) {
        int threads = Math.min(all.size(), Runtime.getRuntime().availableProcessors());
        var next = new AtomicInteger();
        var failed = new AtomicBoolean();
        try (var team = new RankTeam(IntStream.range(0, threads).boxed().toList())) {
            team.each(
                    thread -> {
                        for (int index = next.getAndIncrement();
                                index < all.size() && !failed.get();
                                index = next.getAndIncrement()) {
                            work.accept(all.get(index));
                        }
                        return null;
                    },
                    (thread, failure) -> failed.set(true));
        }
    }
}
