package io.hirundo.dataloader.internal.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.TextDocument;
import io.hirundo.data.TextSelection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken of a source that is too large: the same each time, not too much, and from all of it. */
class TextSelectionTest {
    private static final int DOCUMENTS = 4_000;

    @TempDir
    private Path folder;

    private static String text(int i) {
        return "document " + i + " " + "x".repeat(i * 37 % 1_900) + "\n\n";
    }

    private static String lines() {
        return IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> "{\"text\":\"" + text(i).replace("\n", "\\n") + "\"}\n")
                .collect(Collectors.joining());
    }

    private Path zip() {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        IntStream.range(0, DOCUMENTS).forEach(i -> entries.put(i + ".txt", text(i).getBytes(StandardCharsets.UTF_8)));
        return Texts.write(folder.resolve("a.zip"), Texts.zip(entries));
    }

    private Path files() {
        IntStream.range(0, 500).forEach(i -> Texts.write(folder.resolve("files/" + i + ".txt"), text(i * 8)));
        return folder.resolve("files");
    }

    /** Chooses; checks what must hold for every source. */
    private static List<TextDocument> choose(
            Path source, long maximumBytes, double least, Function<TextDocument, Integer> place) {
        List<TextDocument> all = Texts.read(source);
        List<TextDocument> chosen = Texts.read(source, new TextSelection(maximumBytes, 1));
        // Not with assertEquals, which would print both.
        assertTrue(chosen.equals(Texts.read(source, new TextSelection(maximumBytes, 1))));
        assertFalse(chosen.equals(Texts.read(source, new TextSelection(maximumBytes, 2))));
        assertTrue(new HashSet<>(all).containsAll(chosen));
        assertEquals(chosen.size(), new HashSet<>(chosen).size());
        long bytes = Texts.bytes(chosen);
        assertTrue(bytes <= maximumBytes && bytes >= least * maximumBytes, () -> bytes + " bytes of " + maximumBytes);
        // Spread: a quarter of the places, give or take half of that, in each quarter of the source.
        int most = all.stream().map(place).max(Integer::compare).orElseThrow();
        for (int quarter = 0; quarter < 4; quarter++) {
            int of = quarter;
            long count = chosen.stream()
                    .filter(document -> (long) place.apply(document) * 4 / (most + 1) == of)
                    .count();
            assertTrue(
                    count > chosen.size() / 8 && count < chosen.size() * 3 / 8,
                    () -> count + " of " + chosen.size() + " in quarter " + of);
        }
        return chosen;
    }

    private static int number(TextDocument document) {
        return Integer.parseInt(document.text().split(" ", 3)[1]);
    }

    private static int offset(TextDocument document) {
        return Integer.parseInt(document.origin().substring(document.origin().lastIndexOf('@') + 1));
    }

    @Test
    void selectsOfAnArchive() {
        List<TextDocument> chosen = choose(zip(), 400_000, 0.98, TextSelectionTest::number);
        // In random order, so that its end is as good a sample as its beginning.
        assertTrue(chosen.subList(0, chosen.size() / 5).stream()
                        .mapToInt(TextSelectionTest::number)
                        .max()
                        .orElseThrow()
                > DOCUMENTS * 3 / 4);
    }

    @Test
    void selectsOfAFolderAtAnyPath() {
        List<TextDocument> chosen = choose(files(), 100_000, 0.96, TextSelectionTest::number);
        var moved = folder.resolve("moved");
        assertTrue(folder.resolve("files").toFile().renameTo(moved.toFile()));
        assertEquals(
                chosen.stream().map(TextDocument::text).toList(),
                Texts.read(moved, new TextSelection(100_000, 1)).stream()
                        .map(TextDocument::text)
                        .toList());
    }

    @Test
    void selectsOfJsonLines() {
        Path source = Texts.write(folder.resolve("a.jsonl"), lines());
        choose(source, 800_000, 0.98, TextSelectionTest::offset);
    }

    @Test
    void selectsOfJsonLinesWithoutRandomAccess() {
        Path source = Texts.write(folder.resolve("a.jsonl.gz"), Texts.gzip(lines()));
        choose(source, 400_000, 0.8, TextSelectionTest::offset);
    }

    @Test
    void selectsOfOneText() {
        Path source = Texts.write(
                folder.resolve("a.txt"),
                IntStream.range(0, DOCUMENTS).mapToObj(TextSelectionTest::text).collect(Collectors.joining()));
        choose(source, 800_000, 0.95, TextSelectionTest::offset);
    }

    @Test
    void selectsAShareOfEachSource() {
        Path mixed = folder.resolve("mixed");
        IntStream.range(0, 1_000).forEach(i -> Texts.write(mixed.resolve(i % 50 + "/" + i + ".txt"), text(i)));
        Texts.write(mixed.resolve("lines.jsonl.gz"), Texts.gzip(lines()));
        List<TextDocument> chosen = Texts.read(mixed, new TextSelection(1_000_000, 5));
        long ofLines = Texts.bytes(chosen.stream()
                .filter(document -> document.origin().contains("lines"))
                .toList());
        // Four fifths of the whole are lines.
        assertTrue(ofLines > 650_000 && ofLines < 900_000, () -> "of lines " + ofLines);
        assertTrue(Texts.bytes(chosen) > 950_000);
    }

    @Test
    void fullSelectionKeepsTheOrder() {
        Path zip = zip();
        long bytes = Texts.bytes(Texts.read(zip));
        assertTrue(Texts.read(zip).equals(Texts.read(zip, new TextSelection(bytes, 7))));
        assertEquals(DOCUMENTS, Texts.read(zip, new TextSelection(bytes, 7)).size());
        assertTrue(Texts.read(zip, new TextSelection(bytes - 1, 7)).size() < DOCUMENTS);
    }

    @Test
    void selectsAtLeastOneDocument() {
        assertEquals(1, Texts.read(zip(), new TextSelection(1, 7)).size());
    }

    @Test
    void keepsALineAtTheBeginningOfAPart() {
        String line = "{\"text\":\"" + "x".repeat(52) + "\"}\n";
        assertEquals(64, line.length());
        Path source = Texts.write(folder.resolve("a.jsonl"), line.repeat(8_192));
        // Less than the file, but more than its text: all of it, part by part.
        assertEquals(
                8_192, Texts.read(source, new TextSelection(64 * 8_192 - 1, 3)).size());
    }

    @Test
    void keepsAPieceAtTheBeginningOfAPart() {
        String piece = "x".repeat(PieceCursor.PIECE_BYTES - 4) + "\r\n\r\n";
        Path source = Texts.write(folder.resolve("a.txt"), piece.repeat(100));
        List<TextDocument> chosen = Texts.read(source, new TextSelection(100 * PieceCursor.PIECE_BYTES - 1, 3));
        assertEquals(99, chosen.size());
        assertTrue(chosen.stream().allMatch(document -> document.text().equals(piece)));
    }

    @Test
    void partsOfAFileGiveTheDocumentsOfTheFile() {
        String text = IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> i % 7 == 0 ? "y".repeat(i * 13) + "\n" : text(i))
                .collect(Collectors.joining());
        Path source = Texts.write(folder.resolve("a.txt"), text);
        var all = new HashSet<>(Texts.read(source));
        long bytes = text.length();
        // Nearly everything, so that nearly every part is read.
        List<TextDocument> chosen = Texts.read(source, new TextSelection(bytes - 1, 3));
        assertTrue(all.containsAll(chosen));
        assertTrue(Texts.bytes(chosen) > bytes - 400_000);
    }
}
