package io.hirundo.dataloader.internal.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.StorageException;
import io.hirundo.dataloader.internal.order.Mixing;
import io.hirundo.dataloader.internal.text.SourceFiles;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The files that {@code data clean} writes: documents in the order of a hash of their names, so that any part is a fair choice. */
final class CleanedFiles {
    /** Raised when the same text and options give another file. */
    private static final int RECIPE_VERSION = 2;

    private static final int MOST_RECIPE_BYTES = 1 << 20;

    private static final long ORDER_SEED = 1;
    private static final int HELD_OUT_SHARE = 50;

    private final JsonMapper mapper = new JsonMapper();
    private final Path out;
    private final Path heldOut;
    private final List<Document> documents = new ArrayList<>();

    private record Document(String name, String text) {
        long rank() {
            return Mixing.hash(name, ORDER_SEED);
        }
    }

    /** {@code heldOut}: null for none. */
    CleanedFiles(Path out, Path heldOut) {
        this.out = out;
        this.heldOut = heldOut;
    }

    /** One line that changes with the text and the options. */
    static String recipe(SourceFiles data, String... options) {
        return RECIPE_VERSION + "\t" + data.fingerprint() + "\t" + String.join("\t", options);
    }

    void add(String name, String text) {
        documents.add(new Document(name, text));
    }

    /** Whether the files are there already, and of this recipe. */
    boolean areOf(String recipe) {
        try {
            boolean complete = Files.isRegularFile(out) && (heldOut == null || Files.isRegularFile(heldOut));
            return complete
                    && InputFiles.readString(recipeFile(), MOST_RECIPE_BYTES).equals(withFiles(recipe));
        } catch (IOException unknown) {
            return false;
        }
    }

    private Path recipeFile() {
        return out.resolveSibling(out.getFileName() + ".recipe");
    }

    /** Without held-out documents the file has more. */
    private String withFiles(String recipe) {
        return recipe + "\t" + (heldOut != null) + "\n";
    }

    void requireWritable() {
        for (Path file : heldOut == null ? List.of(out, recipeFile()) : List.of(out, recipeFile(), heldOut)) {
            try {
                Files.createDirectories(file.toAbsolutePath().getParent());
                OutputFiles.requireFile(file);
            } catch (IOException failure) {
                throw unwritable(file, failure);
            }
        }
    }

    /** Each appears complete or not at all; the recipe last. */
    void write(String recipe) {
        documents.sort(Comparator.comparingLong(Document::rank).thenComparing(Document::name));
        int kept = documents.size() - heldOut();
        try {
            Files.deleteIfExists(recipeFile());
        } catch (IOException failure) {
            throw unwritable(recipeFile(), failure);
        }
        write(out, lines(documents.subList(0, kept)));
        if (heldOut != null) {
            write(heldOut, lines(documents.subList(kept, documents.size())));
        }
        write(recipeFile(), withFiles(recipe).getBytes(StandardCharsets.UTF_8));
    }

    /** How many documents the held-out file gets; the other one keeps at least one. */
    int heldOut() {
        return heldOut == null ? 0 : Math.min(documents.size() - 1, Math.max(1, documents.size() / HELD_OUT_SHARE));
    }

    /** Of all texts in UTF-8. */
    long bytes() {
        return documents.stream()
                .mapToLong(document -> document.text().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    private byte[] lines(List<Document> some) {
        var lines = new ByteArrayOutputStream();
        for (Document document : some) {
            try {
                lines.writeBytes(mapper.writeValueAsBytes(Map.of("text", document.text())));
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("a string is always JSON", impossible);
            }
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    private static void write(Path file, byte[] contents) {
        try {
            AtomicFile.write(file, contents);
        } catch (IOException failure) {
            throw unwritable(file, failure);
        }
    }

    private static StorageException unwritable(Path file, IOException failure) {
        return new StorageException("cannot write " + OutputFiles.explain(file, failure), failure);
    }
}
