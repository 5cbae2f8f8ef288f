package io.hirundo.checkpointhf.internal.file;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.json.JsonInput;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/** Strict JSON objects: no key twice, nothing behind the object. */
public final class Json {
    /** A configuration has some kilobytes, an index of 100,000 tensors some ten megabytes. */
    private static final int MAX_FILE_BYTES = 64 << 20;

    private Json() {}

    /** What a model's {@code config.json} holds. */
    public static Map<String, Object> readValues(Path file) {
        return readFile(file, "give a folder that holds a Hugging Face model", JsonInput::map);
    }

    /**
     * Reads a file of at most 64 MiB.
     *
     * @throws DataException names the file, and the field that is wrong
     */
    public static <T> T readFile(Path file, String whenMissing, Function<JsonInput, T> reader) {
        try {
            return parse(InputFiles.readAllBytes(file, MAX_FILE_BYTES), file.toString(), reader);
        } catch (NoSuchFileException e) {
            throw new DataException(file + " is missing; " + whenMissing, e);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new DataException(Reason.of(e) + "; " + whenMissing, e);
        } catch (IOException e) {
            throw new DataException(file + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** {@code where}: what the bytes are, for messages. */
    public static <T> T parse(byte[] bytes, String where, Function<JsonInput, T> reader) {
        try (var in = new JsonInput(
                bytes,
                0,
                bytes.length,
                where,
                (message, cause) -> new DataException(message + "; " + Damage.REMEDY, cause))) {
            T value = reader.apply(in);
            in.end();
            return value;
        }
    }

    /** For what is written. */
    public static JsonMapper mapper() {
        return new JsonMapper();
    }
}
