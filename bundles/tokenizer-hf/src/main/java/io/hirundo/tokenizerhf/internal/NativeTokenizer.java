package io.hirundo.tokenizerhf.internal;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/**
 * A tokenizer in native memory, which {@link #close} frees. Thread-safe: calls run concurrently, and close waits for them, because a call
 * on freed memory would crash the process.
 */
final class NativeTokenizer implements AutoCloseable {
    private final TokenizersLibrary library;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private long handle;

    /**
     * @param json a {@code tokenizer.json}
     * @throws FailedException if the library rejects it
     */
    NativeTokenizer(TokenizersLibrary library, String json) {
        this.library = library;
        this.handle = call(() -> library.createTokenizerFromString(json));
        // Disable truncation and padding, which a file may enable: samples are cut from complete documents.
        library.disableTruncation(handle);
        library.disablePadding(handle);
    }

    /** A failure of the library, with its message. */
    static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FailedException(RuntimeException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static long call(LongSupplier function) {
        try {
            return function.getAsLong();
        } catch (RuntimeException e) {
            throw new FailedException(e);
        }
    }

    /**
     * Ids of the text alone. It must be well-formed UTF-16.
     *
     * @throws FailedException if the tokenizer has no token for some text
     */
    int[] encode(String text) {
        lock.readLock().lock();
        try {
            requireOpen();
            long encoding = call(() -> library.encode(handle, text, false));
            try {
                return narrow(library.getTokenIds(encoding));
            } finally {
                library.deleteEncoding(encoding);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Text of the ids, special tokens by name; skips unknown ids. */
    String decode(int[] ids) {
        lock.readLock().lock();
        try {
            requireOpen();
            return library.decode(handle, widen(ids), false);
        } finally {
            lock.readLock().unlock();
        }
    }

    private void requireOpen() {
        if (handle == 0) {
            throw new IllegalStateException("the tokenizer is closed");
        }
    }

    private static int[] narrow(long[] ids) {
        int[] narrow = new int[ids.length];
        for (int i = 0; i < ids.length; i++) {
            narrow[i] = Math.toIntExact(ids[i]);
        }
        return narrow;
    }

    private static long[] widen(int[] ids) {
        long[] wide = new long[ids.length];
        for (int i = 0; i < ids.length; i++) {
            wide[i] = ids[i];
        }
        return wide;
    }

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (handle != 0) {
                library.deleteTokenizer(handle);
                handle = 0;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }
}
