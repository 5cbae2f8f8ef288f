package io.hirundo.dataloader.internal.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.indexed.TokenType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ParameterException;

class TokenizeCommandTest {
    @TempDir
    private Path folder;

    private Workbench bench;

    @BeforeEach
    void prepare() {
        bench = new Workbench(folder);
        bench.write("tok/tokenizer.json", "{}");
        bench.write("texts/a.txt", "first");
        bench.write("texts/b.txt", "second");
    }

    private int tokenize(String data, String... more) {
        var arguments = new java.util.ArrayList<>(
                List.of("--tokenizer", bench.path("tok"), "--data", data, "--out", bench.path("sets/x")));
        arguments.addAll(List.of(more));
        return bench.tokenize(arguments.toArray(String[]::new));
    }

    private static String text(int[] tokens) {
        return new ByteTokenizer(OptionalInt.empty(), OptionalInt.empty()).decode(tokens);
    }

    private String license() {
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            return dataset.description().orElseThrow().source().license();
        }
    }

    private void makeAgain(String data, String... more) {
        bench.tokenizer = new ByteTokenizer(OptionalInt.of(256), OptionalInt.of(257));
        tokenize(bench.path(data), more);
    }

    @Test
    void recordsTheLicenseOfTheText() throws IOException {
        makeAgain("texts");
        assertNull(license());
        bench.write("texts/README.md", "---\nlicense: cc-by-4.0\n---\n");
        for (String data : List.of("texts", "texts/a.txt")) {
            makeAgain(data);
            assertEquals("cc-by-4.0", license());
        }
        makeAgain("texts", "--license", "cc0-1.0");
        assertEquals("cc0-1.0", license());
        bench.inspect(bench.path("sets/x"));
        assertTrue(bench.out.contains("License    cc0-1.0\n"), bench.out);
        // Of a version that recorded no licenses.
        Path description = folder.resolve("sets/x.json");
        Files.writeString(
                description, Files.readString(description).replaceFirst(",\\s*\"license\" : \"cc0-1.0\"", ""));
        assertFalse(Files.readString(description).contains("license"));
        assertNull(license());
    }

    @Test
    void addsEndTokensAndDescribesTheDataset() {
        assertEquals(ExitCode.OK, tokenize(bench.path("texts")));
        assertTrue(bench.out.contains("2 documents, 15 tokens"), bench.out);
        assertEquals(List.of("x.bin", "x.idx", "x.json", "x.sums"), bench.files("sets"));
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals(TokenType.U16, dataset.type());
            assertEquals("<256>first<257>", text(dataset.read(0)));
            assertEquals("<256>second<257>", text(dataset.read(1)));
            var description = dataset.description().orElseThrow();
            assertEquals(257, description.largestToken());
            assertEquals(258, description.tokenizer().vocabularySize());
            assertEquals(bench.path("tok"), description.tokenizer().options().get("file"));
            // Of "{}".
            assertEquals(
                    "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                    description.tokenizer().sha256());
            assertEquals(bench.path("texts"), description.source().path());
        }
        assertTrue(bench.tokenizer.closed.get());
    }

    @Test
    void writesASharedBeginAndEndTokenOnce() {
        bench.tokenizer = new ByteTokenizer(OptionalInt.of(257), OptionalInt.of(257));
        tokenize(bench.path("texts"));
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals("first<257>", text(dataset.read(0)));
        }
        bench.tokenizer = new ByteTokenizer(OptionalInt.empty(), OptionalInt.empty());
        tokenize(bench.path("texts"));
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals("first", text(dataset.read(0)));
        }
    }

    @Test
    void keepsTheOrderOfTheText() {
        List<String> texts = IntStream.range(0, 3_000)
                .mapToObj(i -> (i % 97 == 0 ? "slow " : "text ") + i + "x".repeat(i % 700))
                .toList();
        String data = bench.write(
                "a.jsonl",
                texts.stream().map(text -> "{\"text\":\"" + text + "\"}").collect(Collectors.joining("\n")));
        tokenize(data);
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals(3_000, dataset.documents());
            for (int i = 0; i < 3_000; i++) {
                assertEquals("<256>" + texts.get(i) + "<257>", text(dataset.read(i)));
            }
        }
    }

    @Test
    void interruptionLeavesNoDataset() throws IOException {
        tokenize(bench.path("texts"));
        byte[] old = Files.readAllBytes(folder.resolve("sets/x.bin"));
        String data = bench.write(
                "a.jsonl",
                IntStream.range(0, 20_000)
                        .mapToObj(i -> "{\"text\":\"" + "x".repeat(200) + "\"}")
                        .collect(Collectors.joining("\n")));
        for (int patience : new int[] {0, 1, 12, 20}) {
            bench.tokenizer = new ByteTokenizer(OptionalInt.of(256), OptionalInt.of(257));
            bench.patience.set(patience);
            assertEquals(ExitCode.INTERRUPTED, tokenize(data));
            assertTrue(bench.err.contains("was not written"), bench.err);
            assertEquals(List.of("x.bin", "x.idx", "x.json", "x.sums"), bench.files("sets"));
            assertArrayEquals(old, Files.readAllBytes(folder.resolve("sets/x.bin")));
        }
    }

    @Test
    void failureLeavesNothing() {
        bench.write("texts/c.txt", "fails!");
        var failure = assertThrows(DataException.class, () -> tokenize(bench.path("texts")));
        assertTrue(
                failure.getMessage().contains("c.txt cannot be tokenized: no exclamation marks"), failure::getMessage);
        assertEquals(List.of(), bench.files("sets"));
    }

    @Test
    void invalidInputCreatesNoFolder() throws IOException {
        assertThrows(DataException.class, () -> tokenize(bench.path("none")));
        Files.write(folder.resolve("binary"), new byte[10]);
        assertThrows(DataException.class, () -> tokenize(bench.path("binary")));
        var failure = assertThrows(
                DataException.class,
                () -> bench.tokenize(
                        "--tokenizer",
                        bench.path("gone"),
                        "--data",
                        bench.path("texts"),
                        "--out",
                        bench.path("sets/x")));
        assertTrue(failure.getMessage().contains("train-tokenizer"), failure::getMessage);
        assertFalse(Files.exists(folder.resolve("sets")));
    }

    @Test
    void keepsAnExistingDatasetOnlyIfItHasTheSameSources() throws IOException {
        assertRemade(bench.path("texts"), "--if-missing");
        assertKept(bench.path("texts"), "--if-missing", "--all");
        assertTrue(bench.out.contains("is there: 2 documents, 15 tokens"), bench.out);
        // Asked for without the option it is made again.
        assertRemade(bench.path("texts"));
        assertRemade(bench.path("texts"), "--if-missing", "--max-bytes", "5");
        assertKept(bench.path("texts"), "--if-missing", "--max-bytes", "5");
        assertRemade(bench.path("texts"), "--if-missing", "--max-bytes", "5", "--seed", "2");
        assertRemade(bench.path("texts"), "--if-missing", "--format", "text");
        assertKept(bench.path("texts"), "--if-missing", "--format", "text");
        bench.write("texts/c.txt", "third");
        assertRemade(bench.path("texts"), "--if-missing");
        bench.write("texts/c.txt", "third, longer");
        assertRemade(bench.path("texts"), "--if-missing");
        bench.write("tok/tokenizer.json", "{ }");
        assertRemade(bench.path("texts"), "--if-missing");
        Files.write(folder.resolve("sets/x.bin"), new byte[5]);
        assertRemade(bench.path("texts"), "--if-missing");
        assertTrue(bench.err.contains("making it again"), bench.err);
        Files.delete(folder.resolve("sets/x.json"));
        assertRemade(bench.path("texts"), "--if-missing");
        assertKept(bench.path("texts"), "--if-missing");
    }

    @Test
    void makesADatasetAgainIfOtherTokensFrameItsDocuments() throws IOException {
        tokenize(bench.path("texts"));
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals(
                    "begin 256, end 257",
                    dataset.description().orElseThrow().frame().words());
        }
        bench.tokenizer = new ByteTokenizer(OptionalInt.empty(), OptionalInt.of(257));
        assertRemade(bench.path("texts"), "--if-missing");
        assertKept(bench.path("texts"), "--if-missing");
        assertRemade(bench.path("texts"), "--if-missing", "--special-tokens");
        assertRemade(bench.path("texts"), "--if-missing");
        // Of a version that did not record it.
        Path description = folder.resolve("sets/x.json");
        Files.writeString(description, Files.readString(description).replaceFirst(",\\s*\"frame\" : \\{[^}]*}", ""));
        assertFalse(Files.readString(description).contains("frame"));
        assertRemade(bench.path("texts"), "--if-missing");
    }

    @Test
    void passesTheChoicesOfTheUserToTheTokenizerAndRecordsThem() {
        tokenize(bench.path("texts"), "--bos", "none", "--eos", "7", "--special-tokens");
        assertEquals(
                Map.of("file", bench.path("tok"), "bos", "none", "eos", "7", "specialTokensInText", true),
                bench.choice.options());
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals(
                    bench.choice.options(),
                    dataset.description().orElseThrow().tokenizer().options());
        }
        bench.inspect(bench.path("sets/x"));
        assertEquals("7", bench.choice.options().get("eos"));
        assertTrue(bench.out.contains("Frame      begin 256, end 257\n"), bench.out);
    }

    @Test
    void countsNamesOfSpecialTokensInDocuments() {
        bench.write("texts/c.txt", "a <256> and <257><257>");
        tokenize(bench.path("texts"));
        assertTrue(
                bench.out.contains(
                        "names of special tokens in documents: <256> 1, <257> 2 (stayed text; --special-tokens makes them tokens)\n"),
                bench.out);
        tokenize(bench.path("texts/a.txt"));
        assertFalse(bench.out.contains("special"), bench.out);
    }

    private void assertRemade(String data, String... more) {
        assertEquals(ExitCode.OK, tokenize(data, more));
        assertFalse(bench.out.contains("is there"), () -> Arrays.toString(more) + bench.out);
    }

    private void assertKept(String data, String... more) {
        assertEquals(ExitCode.OK, tokenize(data, more));
        assertTrue(bench.out.contains("is there"), () -> Arrays.toString(more) + bench.out);
    }

    @Test
    void readsAnotherField() {
        tokenize(bench.write("a.jsonl", "{\"content\": \"x\"}"), "--text-field", "content");
        try (var dataset = IndexedDataset.open(folder.resolve("sets/x"))) {
            assertEquals("<256>x<257>", text(dataset.read(0)));
        }
    }

    @Test
    void rejectsContradictoryArguments() {
        assertThrows(ParameterException.class, () -> tokenize(bench.path("texts"), "--all", "--max-bytes", "5"));
        assertThrows(ParameterException.class, () -> tokenize(bench.path("texts"), "--max-bytes", "much"));
        assertThrows(ParameterException.class, () -> bench.tokenize("--data", "x"));
    }

    @Test
    void takesNoMoreThanRequested() throws IOException {
        IntStream.range(0, 500).forEach(i -> bench.write("many/" + i, "x".repeat(99) + "\n"));
        tokenize(bench.path("many"), "--max-bytes", "10kB");
        assertEquals(2 * 102 * 100, Files.size(folder.resolve("sets/x.bin")));
        assertTrue(Files.readString(folder.resolve("sets/x.json"), StandardCharsets.UTF_8)
                .contains("\"maximumBytes\" : 10000"));
    }
}
