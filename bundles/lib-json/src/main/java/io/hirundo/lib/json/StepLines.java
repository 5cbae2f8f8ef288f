package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.BoundedLines;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A JSON-lines file that a run appends to; an earlier attempt of the same run may have written lines of it. */
public final class StepLines {
    private static final JsonFactory JSON = new JsonFactory();

    /** More than Hirundo writes: fingerprints of all tensors of a model are the longest lines. */
    private static final int MAX_LINE_BYTES = 4 << 20;

    private StepLines() {}

    /**
     * Drops lines of this step and later ones, lines without a step, truncated lines, and lines of more than 4 MiB; the others stay byte
     * for byte. Where no line ends within 64 MiB, as in the hole of a sparse file, the rest is dropped. Replaces the file atomically, or leaves it alone if there is nothing to drop.
     *
     * @return bytes at the end that it dropped without reading them; mostly 0
     * @throws IOException also if the file is a symbolic link
     */
    public static long dropFrom(long firstStep, Path file) throws IOException {
        OutputFiles.requireOwnFile(file);
        if (!Files.exists(file)) {
            return 0;
        }
        long size = Files.size(file);
        Copied all = copyBefore(firstStep, file, OutputStream.nullOutputStream());
        if (all.keptBytes != size) {
            AtomicFile.write(file, out -> copyBefore(firstStep, file, out));
        }
        return all.wasRead ? 0 : size - all.keptBytes;
    }

    /** What was copied. */
    private static final class Copied {
        long keptBytes;
        boolean wasRead;
    }

    /** Copies the remaining lines in bounded memory. */
    private static Copied copyBefore(long firstStep, Path file, OutputStream out) throws IOException {
        var copied = new Copied();
        try (InputStream in = Files.newInputStream(file)) {
            copied.wasRead = BoundedLines.read(
                    in,
                    MAX_LINE_BYTES,
                    line -> {
                        if (isBefore(firstStep, line)) {
                            out.write(line);
                            out.write('\n');
                            copied.keptBytes += line.length + 1;
                        }
                    },
                    () -> {});
        }
        return copied;
    }

    private static boolean isBefore(long firstStep, byte[] line) throws IOException {
        try (JsonParser json = JSON.createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            long step = Long.MAX_VALUE;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean isStep = json.currentName().equals("step");
                JsonToken value = json.nextToken();
                if (isStep && value == JsonToken.VALUE_NUMBER_INT) {
                    step = json.getLongValue();
                }
                json.skipChildren();
            }
            return step < firstStep;
        } catch (JacksonException notOurs) {
            // Truncated, nested too deeply, a number of 2,000 digits: not written by Hirundo.
            return false;
        }
    }
}
