package io.hirundo.dataloader.internal.command;

import io.hirundo.data.SpecialTokens;
import io.hirundo.data.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;

/** A token for each byte, 256 to begin and 257 to end. Slower for texts that begin with s; fails for those with an exclamation mark. */
final class ByteTokenizer implements Tokenizer {
    private final OptionalInt begin;
    private final OptionalInt end;
    final AtomicBoolean closed = new AtomicBoolean();

    ByteTokenizer(OptionalInt begin, OptionalInt end) {
        this.begin = begin;
        this.end = end;
    }

    @Override
    public int vocabularySize() {
        return 258;
    }

    @Override
    public int[] encode(String text) {
        if (closed.get()) {
            throw new IllegalStateException("closed");
        }
        if (text.contains("!")) {
            throw new IllegalArgumentException("no exclamation marks");
        }
        if (text.startsWith("s")) {
            pause();
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = bytes[i] & 0xFF;
        }
        return ids;
    }

    private static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String decode(int[] ids) {
        var text = new StringBuilder();
        for (int id : ids) {
            text.append(id < 256 ? "" + (char) id : "<" + id + ">");
        }
        return text.toString();
    }

    @Override
    public SpecialTokens specialTokens() {
        return SpecialTokens.of(Map.of("<256>", 256, "<257>", 257));
    }

    @Override
    public OptionalInt beginOfText() {
        return begin;
    }

    @Override
    public OptionalInt endOfText() {
        return end;
    }

    @Override
    public void save(Path directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        closed.set(true);
    }
}
