package __package__;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** A token for each byte of UTF-8, and one that ends a document. It has no state, so all threads may use it. */
record __Name__Tokenizer(boolean hasEnd) implements Tokenizer {
    private static final int BYTES = 256;

    @Override
    public int vocabularySize() {
        return hasEnd ? BYTES + 1 : BYTES;
    }

    /** Lone surrogates, which UTF-8 cannot represent, become question marks. */
    @Override
    public int[] encode(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = Byte.toUnsignedInt(bytes[i]);
        }
        return ids;
    }

    /** The end of a document has no text. A model may also generate bytes that are no character: these become U+FFFD. */
    @Override
    public String decode(int[] ids) {
        var bytes = new ByteArrayOutputStream(ids.length);
        for (int id : ids) {
            if (id >= 0 && id < BYTES) {
                bytes.write(id);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public OptionalInt beginOfText() {
        return OptionalInt.empty();
    }

    @Override
    public OptionalInt endOfText() {
        return hasEnd ? OptionalInt.of(BYTES) : OptionalInt.empty();
    }

    /** Next to the weights of an exported model, for whoever loads it elsewhere. */
    @Override
    public void save(Path directory) {
        String end = hasEnd ? Integer.toString(BYTES) : "null";
        String json = "{\"tokenizer_class\": \"__Name__Tokenizer\", \"vocab_size\": %d, \"eos_token_id\": %s}%n"
                .formatted(vocabularySize(), end);
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("tokenizer_config.json"), json);
        } catch (IOException e) {
            throw new StorageException(
                    directory + " cannot be written: " + Reason.of(e) + "; free space or fix its permissions", e);
        }
    }

    @Override
    public void close() {}
}
