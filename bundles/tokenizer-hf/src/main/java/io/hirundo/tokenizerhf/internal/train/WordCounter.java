package io.hirundo.tokenizerhf.internal.train;

import io.hirundo.tokenizerhf.internal.SafeBorders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Counts words on several threads while documents come in. What it counts does not depend on how many threads there are.
 * {@code add} and {@code counts} are called by one thread; {@code close} ends the others.
 */
final class WordCounter implements AutoCloseable {
    private static final int BATCH_CHARS = 1 << 18;

    private final ExecutorService workers;
    private final Map<Thread, Map<String, Count>> countsByThread = new ConcurrentHashMap<>();
    // Reading is held back while so many batches wait, or a long source would pile up in memory.
    private final Semaphore room;
    private final List<Future<?>> tasks = new ArrayList<>();
    private List<String> batch = new ArrayList<>();
    private int batchChars;

    private static final class Count {
        private long value;
    }

    WordCounter(int threads) {
        workers = Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("word-counter-", 0).factory());
        room = new Semaphore(2 * threads);
    }

    void add(String text) {
        for (String piece : SafeBorders.split(text)) {
            batch.add(piece);
            batchChars += piece.length();
            if (batchChars >= BATCH_CHARS) {
                submit();
            }
        }
    }

    private void submit() {
        List<String> texts = batch;
        room.acquireUninterruptibly();
        tasks.add(workers.submit(() -> {
            try {
                var counts = countsByThread.computeIfAbsent(Thread.currentThread(), thread -> new HashMap<>());
                texts.forEach(text ->
                        WordScanner.scan(text, word -> counts.computeIfAbsent(word, w -> new Count()).value++));
            } finally {
                room.release();
            }
        }));
        batch = new ArrayList<>();
        batchChars = 0;
    }

    /** All words and how often each of them came. Nothing can be added any more. */
    Map<String, Long> counts() {
        submit();
        tasks.forEach(WordCounter::await);
        var all = new HashMap<String, Long>();
        countsByThread
                .values()
                .forEach(counts -> counts.forEach((word, count) -> all.merge(word, count.value, Long::sum)));
        return all;
    }

    private static void await(Future<?> task) {
        try {
            task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("counting words failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("counting words was interrupted", e);
        }
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
