package io.hirundo.dataloader.internal.command;

import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.text.FileTextReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/**
 * Tokenizes documents on several threads and writes them in the order in which they came. At most a few batches for each
 * thread are in memory.
 */
final class TokenizePipeline {
    private static final int BATCH_CHARACTERS = 1 << 17;
    private static final int BATCH_DOCUMENTS = 1_000;
    private static final int BATCHES_PER_WORKER = 4;

    private final DocumentEncoder encoder;
    private final int workers;

    TokenizePipeline(DocumentEncoder encoder, int workers) {
        this.encoder = encoder;
        this.workers = workers;
    }

    /** Hears how far it has come, after each batch. */
    @FunctionalInterface
    interface Progress {
        void done(long bytes, long tokens);
    }

    private record Encoded(List<int[]> documents, long bytes) {}

    /**
     * Runs until all documents are written.
     *
     * @param stop asked before each batch
     * @return false when it was stopped before the end
     */
    boolean run(
            Iterator<TextDocument> documents, IndexedDatasetWriter writer, Progress progress, BooleanSupplier stop) {
        ExecutorService pool = Executors.newFixedThreadPool(
                workers,
                Thread.ofPlatform().daemon().name("hirundo-tokenize-", 0).factory());
        try {
            return run(pool, documents, writer, progress, stop);
        } finally {
            // Waits for what has begun: the tokenizer must not be closed under it.
            pool.shutdownNow();
            pool.close();
        }
    }

    private boolean run(
            ExecutorService pool,
            Iterator<TextDocument> documents,
            IndexedDatasetWriter writer,
            Progress progress,
            BooleanSupplier stop) {
        Deque<Future<Encoded>> pending = new ArrayDeque<>();
        long bytes = 0;
        while (!stop.getAsBoolean()) {
            if (pending.size() < workers * BATCHES_PER_WORKER && documents.hasNext()) {
                List<TextDocument> batch = nextBatch(documents);
                pending.add(pool.submit(() -> encode(batch)));
            } else if (pending.isEmpty()) {
                return !stop.getAsBoolean();
            } else {
                Encoded encoded = await(pending.remove());
                encoded.documents().forEach(writer::add);
                bytes += encoded.bytes();
                progress.done(bytes, writer.tokens());
            }
        }
        return false;
    }

    private static List<TextDocument> nextBatch(Iterator<TextDocument> documents) {
        List<TextDocument> batch = new ArrayList<>();
        int characters = 0;
        do {
            TextDocument document = documents.next();
            batch.add(document);
            characters += Math.min(document.text().length(), BATCH_CHARACTERS);
        } while (characters < BATCH_CHARACTERS && batch.size() < BATCH_DOCUMENTS && documents.hasNext());
        return batch;
    }

    private Encoded encode(List<TextDocument> batch) {
        List<int[]> documents = new ArrayList<>(batch.size());
        long bytes = 0;
        for (TextDocument document : batch) {
            documents.add(encoder.encode(document));
            bytes += FileTextReader.bytes(document);
        }
        return new Encoded(documents, bytes);
    }

    private static Encoded await(Future<Encoded> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while tokenizing", e);
        }
    }
}
