package io.hirundo.dataloader.internal.indexed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.DocumentFrame;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.JsonComplaint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The sources of a dataset: its {@code .json} file.
 *
 * @param schemaVersion of this format
 * @param documents sequences of the dataset
 * @param tokens of all of them
 * @param largestToken that occurs
 * @param tokenizer that made the tokens
 * @param source that the text came from
 * @param frame around each document; null for datasets of versions that did not record it
 */
public record DatasetDescription(
        int schemaVersion,
        long documents,
        long tokens,
        int largestToken,
        TokenizerReference tokenizer,
        Source source,
        Frame frame) {
    public static final int SCHEMA_VERSION = 1;

    private static final List<String> RECORDED_LATER = List.of("license", "format");
    private static final int MOST_BYTES = 1 << 20;

    /**
     * A tokenizer.
     *
     * @param name of the strategy
     * @param options of the strategy
     * @param sha256 of its {@code tokenizer.json}
     * @param vocabularySize all ids are below it
     */
    public record TokenizerReference(String name, Map<String, Object> options, String sha256, int vocabularySize) {
        public TokenizerReference {
            Objects.requireNonNull(name, "no name of a tokenizer");
            options = options == null ? Map.of() : options;
        }
    }

    /**
     * Text, and how much of it was taken.
     *
     * @param path as it was given
     * @param fingerprint of names, sizes and times of its files: changes with them
     * @param maximumBytes of text; null for all of it
     * @param seed of the choice
     * @param textField of JSON lines; null for the reader's own
     * @param format {@code jsonl} or {@code text}; null where each file decided
     * @param license of the text; null where it is not known
     */
    public record Source(
            String path,
            String fingerprint,
            Long maximumBytes,
            long seed,
            String textField,
            String format,
            String license) {
        public Source {
            Objects.requireNonNull(path, "no path of a source");
            Objects.requireNonNull(fingerprint, "no fingerprint of a source");
        }
    }

    /**
     * The tokens around each document.
     *
     * @param begin id before a document; null for none
     * @param end id after a document; null for none
     */
    public record Frame(Integer begin, Integer end) {
        public static Frame of(DocumentFrame frame) {
            return new Frame(
                    frame.begin().isPresent() ? frame.begin().getAsInt() : null,
                    frame.end().isPresent() ? frame.end().getAsInt() : null);
        }

        public DocumentFrame frame() {
            return new DocumentFrame(
                    begin == null ? OptionalInt.empty() : OptionalInt.of(begin),
                    end == null ? OptionalInt.empty() : OptionalInt.of(end));
        }

        /** As in {@code begin 1, end 2}. */
        public String words() {
            return "begin " + (begin == null ? "none" : begin) + ", end " + (end == null ? "none" : end);
        }
    }

    public DatasetDescription {
        Objects.requireNonNull(tokenizer, "no tokenizer");
        Objects.requireNonNull(source, "no source");
        if (largestToken < -1 || largestToken == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("the largest token cannot be " + largestToken);
        }
    }

    private static JsonMapper mapper() {
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                // A later Hirundo may say more; what this one needs is still there.
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .build();
    }

    byte[] json() {
        try {
            return (mapper().writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a description that cannot be written", e);
        }
    }

    /**
     * Reads a description; empty where there is none.
     *
     * @throws DataException when it cannot be understood
     */
    public static Optional<DatasetDescription> read(Path file) {
        try {
            JsonMapper mapper = mapper();
            JsonNode tree = mapper.readTree(InputFiles.readAllBytes(file, MOST_BYTES));
            // Versions before these were recorded wrote none.
            if (tree.path("source") instanceof ObjectNode source) {
                RECORDED_LATER.stream().filter(name -> !source.has(name)).forEach(source::putNull);
            }
            // Versions before frames were recorded wrote none.
            if (tree instanceof ObjectNode root && !root.has("frame")) {
                root.putNull("frame");
            }
            var description = mapper.treeToValue(tree, DatasetDescription.class);
            if (description == null) {
                throw unusable(file, "it is null", null);
            }
            return Optional.of(description);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JsonProcessingException e) {
            throw unusable(file, JsonComplaint.of(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new DataException(
                    "cannot read the description of a dataset: " + Reason.of(e)
                            + "; delete it if the .bin and .idx are right",
                    e);
        }
    }

    private static DataException unusable(Path file, String why, IOException cause) {
        return new DataException(
                file + " is no description of a dataset (" + why + "); delete it if the .bin and .idx are right",
                cause);
    }
}
