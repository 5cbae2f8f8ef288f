package io.hirundo.dataloader.internal.text;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes sources, and reads them. */
final class Texts {
    static final DocumentFormat FORMAT =
            new DocumentFormat(Layout.AUTO, "text", DocumentFormat.DEFAULT_MAX_DOCUMENT_BYTES);

    static final String JSON_LINES =
            "{\"text\": \"first\", \"url\": \"http://x\"}\n{\"text\": \"second\", \"score\": NaN, \"max\": -Infinity}\n";

    private Texts() {}

    static void assertRejected(Path source, String said) {
        var failure = assertThrows(DataException.class, () -> read(source));
        assertTrue(failure.getMessage().contains(source.toString()), failure::getMessage);
        assertTrue(failure.getMessage().contains(said), failure::getMessage);
        assertFalse(failure.getMessage().contains("\n"), failure::getMessage);
    }

    static List<TextDocument> read(Path source) {
        return read(source, TextSelection.ALL);
    }

    static List<TextDocument> read(Path source, TextSelection selection) {
        try (var documents = new FileTextReader(FORMAT, Stop.NEVER).read(source, selection)) {
            return documents.toList();
        }
    }

    static List<String> texts(Path source) {
        return read(source).stream().map(TextDocument::text).toList();
    }

    static long bytes(List<TextDocument> documents) {
        return documents.stream()
                .mapToLong(document -> document.text().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    static Path write(Path file, String text) {
        return write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    static Path write(Path file, byte[] bytes) {
        try {
            Files.createDirectories(file.getParent());
            return Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] gzip(String text) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] zip(Map<String, byte[]> entries) {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            for (var entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
