package io.hirundo.dataloader.internal.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTextReaderTest {
    @TempDir
    private Path folder;

    @Test
    void readsAFolderInNameOrderWithoutHiddenAndBinaryFiles() throws IOException {
        Texts.write(folder.resolve("b/2.txt"), "two\n");
        Texts.write(folder.resolve("b/10.txt"), "ten\n");
        Texts.write(folder.resolve("a.md"), "# one\n日本語\n");
        Texts.write(folder.resolve("c.png"), new byte[] {(byte) 0x89, 'P', 0, 1});
        Texts.write(folder.resolve("d.txt"), "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
        Texts.write(folder.resolve("empty.txt"), "");
        Texts.write(folder.resolve("blank.txt"), " \n\t\n");
        Texts.write(folder.resolve(".git/config"), "hidden");
        Texts.write(folder.resolve(".hidden"), "hidden");
        Files.createSymbolicLink(folder.resolve("b/link.txt"), folder.resolve("a.md"));
        Files.createSymbolicLink(folder.resolve("b/loop"), folder);
        Files.createSymbolicLink(folder.resolve("b/nowhere"), folder.resolve("gone"));
        List<TextDocument> documents = Texts.read(folder);
        assertEquals(
                List.of("# one\n日本語\n", "ten\n", "two\n"),
                documents.stream().map(TextDocument::text).toList());
        assertEquals(folder.resolve("b/10.txt").toString(), documents.get(1).origin());
        assertEquals(
                documents,
                Texts.read(Files.createSymbolicLink(folder.resolve("../" + folder.getFileName() + "-link"), folder))
                        .stream()
                        .map(document -> new TextDocument(document.origin().replace("-link", ""), document.text()))
                        .toList()
                        .stream()
                        .map(document -> new TextDocument(
                                Path.of(document.origin()).normalize().toString(), document.text()))
                        .toList());
    }

    @Test
    void readsAnArchiveInNameOrder() {
        var entries = Map.of(
                "z/last.txt", "last".getBytes(StandardCharsets.UTF_8),
                "a/first.txt", "first".getBytes(StandardCharsets.UTF_8),
                "a/B.class", new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0},
                "m/lines.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n".getBytes(StandardCharsets.UTF_8));
        Path zip = Texts.write(folder.resolve("x/some.zip"), Texts.zip(entries));
        assertEquals(List.of("first", "one", "two", "last"), Texts.texts(zip));
        assertEquals(zip + "!a/first.txt", Texts.read(zip).getFirst().origin());
        // The same in a folder, under the other name of an archive.
        Texts.write(folder.resolve("x/some.jar"), Texts.zip(entries));
        assertEquals(8, Texts.texts(folder.resolve("x")).size());
    }

    @Test
    void readsManyArchivesAtOnce() {
        for (int i = 0; i < 100; i++) {
            byte[] text = ("text " + i).getBytes(StandardCharsets.UTF_8);
            Texts.write(folder.resolve(i + ".zip"), Texts.zip(Map.of("a", text, "b", text)));
        }
        assertEquals(200, Texts.texts(folder).size());
        assertEquals(
                10, Texts.read(folder, new io.hirundo.data.TextSelection(70, 1)).size());
    }

    @Test
    void readsJsonLinesWithOrWithoutGzip() {
        String lines = "\uFEFF{\"id\": 7, \"meta\": {\"text\": [\"not this\"]}, \"text\": \"a\\nb \\u65e5\"}\r\n\n"
                + "{\"text\": null}\n{\"text\": \"\"}\n{\"text\": \"lone \\ud800 half, whole \\ud83d\\ude00\"}\n{\"text\":\"last\"}";
        List<String> expected = List.of("a\nb 日", "lone \uFFFD half, whole 😀", "last");
        assertEquals(expected, Texts.texts(Texts.write(folder.resolve("a.jsonl"), lines)));
        assertEquals(expected, Texts.texts(Texts.write(folder.resolve("b.jsonl.gz"), Texts.gzip(lines))));
        assertEquals(expected, Texts.texts(Texts.write(folder.resolve("c.ndjson"), lines)));
        assertEquals(9, Texts.texts(folder).size());
    }

    @Test
    void readsLinesLongerThanAnyBuffer() {
        String text = "日本".repeat(400_000);
        Path file = Texts.write(
                folder.resolve("a.jsonl"), "{\"text\":\"x\"}\n{\"text\":\"" + text + "\"}\n{\"text\":\"y\"}\n");
        assertEquals(List.of("x", text, "y"), Texts.texts(file));
    }

    @Test
    void readsAnotherField() {
        Path file = Texts.write(folder.resolve("a.jsonl"), "{\"content\": \"a\", \"text\": 1}\n");
        try (var documents = new FileTextReader(new DocumentFormat(Layout.AUTO, "content", 1000), Stop.NEVER)
                .read(file, TextSelection.ALL)) {
            assertEquals(List.of("a"), documents.map(TextDocument::text).toList());
        }
        Texts.assertRejected(file, "holds no string in its field text");
    }

    @Test
    void readsZippedTextInAFolderAsADocument() {
        Texts.write(folder.resolve("ls.1.gz"), Texts.gzip(".TH LS 1\n"));
        Texts.write(folder.resolve("mv.1"), ".TH MV 1\n");
        assertEquals(List.of(".TH LS 1\n", ".TH MV 1\n"), Texts.texts(folder));
    }

    /** Paragraphs of lines, some long, with line ends of both kinds. */
    private static String book(int paragraphs) {
        return IntStream.range(0, paragraphs)
                .mapToObj(i -> ("paragraph " + i + " line über alles\r\n").repeat(i * 31 % 17 + 1)
                        + (i % 3 == 0 ? "\r\n" : "\n"))
                .collect(Collectors.joining());
    }

    @Test
    void splitsASingleTextAtBlankLines() {
        String text = book(3_000);
        List<String> pieces = Texts.texts(Texts.write(folder.resolve("book.txt"), "\uFEFF" + text));
        assertEquals(text, String.join("", pieces));
        assertTrue(pieces.size() > 60, () -> "pieces " + pieces.size());
        for (String piece : pieces.subList(0, pieces.size() - 1)) {
            assertTrue(piece.endsWith("\n\n") || piece.endsWith("\n\r\n"), () -> piece.substring(piece.length() - 20));
            assertTrue(piece.startsWith("paragraph"), piece);
        }
        assertEquals(pieces, Texts.texts(Texts.write(folder.resolve("book.txt.gz"), Texts.gzip("\uFEFF" + text))));
    }

    @Test
    void splitsATextWithoutBlankLinesBetweenCharacters() {
        String text = "日本語🙂é".repeat(40_000);
        List<String> pieces = Texts.texts(Texts.write(folder.resolve("a.txt"), text));
        assertEquals(text, String.join("", pieces));
        assertEquals(text.getBytes(StandardCharsets.UTF_8).length / PieceCursor.PIECE_BYTES, pieces.size());
        String lines = ("x".repeat(100) + "\n").repeat(3_000);
        List<String> ofLines = Texts.texts(Texts.write(folder.resolve("b.txt"), lines));
        assertEquals(lines, String.join("", ofLines));
        assertTrue(ofLines.stream().allMatch(piece -> piece.endsWith("\n")));
    }

    @Test
    void shortTextIsOneDocument() {
        assertEquals(List.of("a\n\nb"), Texts.texts(Texts.write(folder.resolve("a.txt"), "a\n\nb")));
    }

    @Test
    void splitsALargeTextInAFolder() {
        String text = book(6_000);
        Texts.write(folder.resolve("large.txt"), text);
        Texts.write(folder.resolve("small.txt"), "a\n\nb");
        List<String> pieces = Texts.texts(folder);
        assertTrue(pieces.size() > 100, () -> "pieces " + pieces.size());
        assertEquals(text + "a\n\nb", String.join("", pieces));
    }

    @Test
    void rejectsInvalidSourcesWithTheRemedy() throws IOException {
        Texts.assertRejected(folder.resolve("none"), "there is no");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Texts.assertRejected(empty, "is empty");
        Texts.assertRejected(Texts.write(folder.resolve("a.txt"), ""), "is empty");
        Texts.assertRejected(Texts.write(folder.resolve("b.txt"), " \n"), "is empty");
        Texts.write(empty.resolve("a.bin"), new byte[100]);
        Texts.write(empty.resolve("b.bin"), new byte[100]);
        Texts.assertRejected(empty, "all of its 2 files are binary or not UTF-8");
        Texts.assertRejected(Texts.write(folder.resolve("c.bin"), new byte[] {'a', 'b', 0}), "byte 2 is 0");
        Texts.assertRejected(
                Texts.write(folder.resolve("d.txt"), new byte[] {'a', (byte) 0xE9, 'b'}), "is not UTF-8 at byte 1");
        // A character cut at the end of the file, and an encoded surrogate.
        Texts.assertRejected(
                Texts.write(folder.resolve("e.txt"), new byte[] {'a', (byte) 0xE6, (byte) 0x97}),
                "is not UTF-8 at byte 1");
        Texts.assertRejected(
                Texts.write(folder.resolve("f.txt"), new byte[] {'a', (byte) 0xED, (byte) 0xA0, (byte) 0x80}),
                "is not UTF-8 at byte 1");
        Texts.assertRejected(
                Texts.write(folder.resolve("g.zip"), new byte[] {'P', 'K', 3, 4, 5}), "copy or make it again");
        byte[] gzip = Texts.gzip(book(100));
        Texts.assertRejected(
                Texts.write(folder.resolve("h.txt.gz"), Arrays.copyOf(gzip, gzip.length / 2)), "copy or make it again");
        Texts.assertRejected(
                Texts.write(folder.resolve("i.txt.gz"), "no gzip at all, but long enough for one"),
                "copy or make it again");
        Texts.assertRejected(
                Texts.write(folder.resolve("j.jsonl"), "{\"text\": \"a\"}\n{\"text\": \n"),
                "j.jsonl@14 (line 2) is no JSON");
        Texts.assertRejected(
                Texts.write(folder.resolve("k.jsonl"), "{\"a\": 1, \"b\": 2}"), "no field text among [a, b]");
        Texts.assertRejected(Texts.write(folder.resolve("l.jsonl"), "\"a\""), "no JSON object");
        Texts.assertRejected(
                Texts.write(folder.resolve("m.jsonl"), "{\"text\": \"a\"} {\"text\": \"b\"}"), "continues after");
        Texts.assertRejected(
                Texts.write(
                        folder.resolve("n.jsonl"),
                        new byte[] {'{', '"', 't', 'e', 'x', 't', '"', ':', '"', (byte) 0xFF, '"', '}'}),
                "n.jsonl@0");
    }

    @Test
    void rejectsATextAtItsFirstBinaryByte() {
        byte[] bytes = book(3_000).getBytes(StandardCharsets.UTF_8);
        bytes[500_000] = 0;
        Texts.assertRejected(Texts.write(folder.resolve("a.txt"), bytes), "byte 500000 is 0");
        bytes[500_000] = (byte) 0xFF;
        Texts.assertRejected(Texts.write(folder.resolve("a.txt"), bytes), "not UTF-8 at byte 500000");
    }

    @Test
    void knowsSizesInAdvance() {
        Texts.write(folder.resolve("a.txt"), "x".repeat(1_000));
        Texts.write(folder.resolve("b.txt.gz"), Texts.gzip("y".repeat(3_000)));
        Texts.write(folder.resolve("c.zip"), Texts.zip(Map.of("a", new byte[500])));
        assertEquals(
                4_500,
                new FileTextReader(Texts.FORMAT, Stop.NEVER)
                        .approximateBytes(folder)
                        .orElseThrow());
    }

    @Test
    void rejectsALineAboveTheLimitWithoutReadingIt() {
        Path file = Texts.write(
                folder.resolve("a.jsonl"), "{\"text\": \"one\"}\n{\"text\": \"" + "x".repeat(30 << 20) + "\"}\n");
        var failure = assertThrows(DataException.class, () -> Texts.read(file, TextSelection.ALL));
        assertEquals(
                file
                        + "@16 is a document of more than 16,777,216 bytes; split it into several, or allow more with --max-document-bytes SIZE",
                failure.getMessage());
    }

    @Test
    void readsALineOfTheLargestSize() {
        int limit = 1 << 20;
        for (String end : new String[] {"", "\n", "\n{\"text\": \"last\"}"}) {
            for (int length : new int[] {limit - 1, limit}) {
                Path file =
                        Texts.write(folder.resolve("a.jsonl"), "{\"text\": \"" + "x".repeat(length - 12) + "\"}" + end);
                try (var documents = new FileTextReader(new DocumentFormat(Layout.AUTO, "text", limit), Stop.NEVER)
                        .read(file, TextSelection.ALL)) {
                    assertEquals(length - 12, documents.iterator().next().text().length());
                }
            }
            Path file =
                    Texts.write(folder.resolve("a.jsonl"), "{\"text\": \"" + "x".repeat(limit + 1 - 12) + "\"}" + end);
            try (var documents = new FileTextReader(new DocumentFormat(Layout.AUTO, "text", limit), Stop.NEVER)
                    .read(file, TextSelection.ALL)) {
                assertThrows(DataException.class, () -> documents.iterator().next());
            }
        }
    }

    @Test
    void rejectsAnArchiveThatHoldsMoreThanItSays() throws IOException {
        Path source = folder.resolve("many");
        Texts.write(source.resolve("b.txt"), "text");
        // Two members: the size at the end is the second one's.
        var bytes = new ByteArrayOutputStream();
        for (String text : new String[] {"x".repeat(20 << 20), "y".repeat(20_000)}) {
            try (var gzip = new GZIPOutputStream(bytes)) {
                gzip.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
        Texts.write(source.resolve("a.txt.gz"), bytes.toByteArray());
        var failure = assertThrows(DataException.class, () -> Texts.read(source, TextSelection.ALL));
        assertTrue(
                failure.getMessage().contains("a.txt.gz is a document of more than 16,777,216 bytes"),
                failure.getMessage());
    }

    @Test
    void messageNamesFewOfManyFields() {
        String fields = IntStream.range(0, 5000)
                .mapToObj(i -> "\"field" + i + "\": 1")
                .collect(Collectors.joining(", ", "{", "}"));
        Path file = Texts.write(folder.resolve("a.jsonl"), fields);
        var failure = assertThrows(DataException.class, () -> Texts.read(file, TextSelection.ALL));
        assertTrue(failure.getMessage().length() < 500, failure.getMessage());
        assertTrue(failure.getMessage().contains("field0, field1, field2"), failure.getMessage());
    }

    @Test
    void rejectsDamagedArchives() {
        byte[] second = Texts.gzip(Texts.JSON_LINES);
        second[0] ^= 1;
        var both = new ByteArrayOutputStream();
        both.writeBytes(Texts.gzip(Texts.JSON_LINES));
        both.writeBytes(second);
        Texts.assertRejected(Texts.write(folder.resolve("a.jsonl.gz"), both.toByteArray()), "gzip member 2, at byte");
        byte[] zip = Texts.zip(Map.of("a.txt", "some text".getBytes(StandardCharsets.UTF_8)));
        int directory = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\u0001\u0002");
        zip[directory + 16] ^= 1;
        Texts.assertRejected(
                Texts.write(folder.resolve("b.zip"), zip),
                "b.zip!a.txt: the entry differs from its checksum; copy or make it again");
    }

    @Test
    void interruptionEndsAnyReading() {
        Path file = Texts.write(folder.resolve("a.jsonl"), "\n".repeat(1_000_000));
        Texts.write(folder.resolve("b.txt"), "text");
        var polls = new AtomicInteger();
        var reader = new FileTextReader(Texts.FORMAT, new Stop(() -> polls.incrementAndGet() > 4));
        var failure = assertThrows(HirundoException.class, () -> {
            try (var documents = reader.read(file, TextSelection.ALL)) {
                documents.count();
            }
        });
        assertEquals(ExitCode.INTERRUPTED, failure.exitCode());
        assertEquals(
                ExitCode.INTERRUPTED,
                assertThrows(HirundoException.class, () -> reader.read(folder, TextSelection.ALL))
                        .exitCode());
    }
}
