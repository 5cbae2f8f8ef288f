package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.TestTokenizers;
import io.hirundo.tokenizerhf.internal.Texts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TrainTokenizerCommandTest {
    @TempDir
    private Path folder;

    private Path data;
    private Path out;
    private final List<TextSelection> selections = new ArrayList<>();
    private BooleanSupplier interrupted = () -> false;
    private int closedStreams;

    /** One document a line. */
    private final TextReader reader = (source, selection) -> {
        selections.add(selection);
        try {
            return Stream.of(Files.readString(source).split("(?<=\n)"))
                    .filter(text -> !text.isEmpty())
                    .map(text -> new TextDocument(source.toString(), text))
                    .onClose(() -> closedStreams++);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    };

    @BeforeEach
    void writeText() throws IOException {
        data = Files.writeString(folder.resolve("text.txt"), Texts.prose(1, 4000));
        out = folder.resolve("deep").resolve("tokenizer");
    }

    private int run(String... more) throws Exception {
        var command = new TrainTokenizerCommand(reader, CtrlC.when(interrupted));
        var arguments = new ArrayList<>(List.of("--data", data.toString(), "--out", out.toString()));
        arguments.addAll(List.of(more));
        new CommandLine(command).parseArgs(arguments.toArray(String[]::new));
        return command.call();
    }

    private byte[] json() throws IOException {
        return Files.readAllBytes(out.resolve("tokenizer.json"));
    }

    private List<String> files(Path of) throws IOException {
        try (var list = Files.list(of)) {
            return list.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void writesATokenizerOfTheRequestedSize() throws Exception {
        assertEquals(ExitCode.OK, run("--vocab", "600", "--max-bytes", "3MB", "--seed", "7"));
        assertEquals(List.of(new TextSelection(3_000_000, 7)), selections);
        assertEquals(1, closedStreams);
        assertEquals(List.of("hirundo-tokenizer.json", "tokenizer.json", "tokenizer_config.json"), files(out));
        try (Tokenizer tokenizer = TestTokenizers.open(out)) {
            assertEquals(600, tokenizer.vocabularySize());
            assertEquals(598, tokenizer.beginOfText().orElseThrow());
            assertEquals(599, tokenizer.endOfText().orElseThrow());
            String text = Texts.odd(2, 300);
            assertEquals(text, tokenizer.decode(tokenizer.encode(text)));
        }
    }

    @Test
    void theSameTextGivesTheSameFile() throws Exception {
        run("--vocab", "500");
        byte[] first = json();
        run("--vocab", "500");
        assertArrayEquals(first, json());
    }

    @Test
    void theSmallestIsBytesAndSpecialTokens() throws Exception {
        assertEquals(ExitCode.OK, run("--vocab", "258"));
        try (Tokenizer tokenizer = TestTokenizers.open(out)) {
            assertEquals(258, tokenizer.vocabularySize());
            assertEquals(9, tokenizer.encode("ツバメ").length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"257", "0", "-5", "1048577"})
    void rejectsOtherSizes(String size) {
        var e = assertThrows(ConfigurationException.class, () -> run("--vocab", size));
        assertTrue(e.getMessage().contains(size) && e.getMessage().contains("258"), e.getMessage());
        assertTrue(Files.notExists(out));
    }

    @Test
    void littleTextGivesFewerTokens() throws Exception {
        Files.writeString(data, "swallow swallow");
        assertEquals(ExitCode.OK, run());
        try (Tokenizer tokenizer = TestTokenizers.open(out)) {
            assertEquals(256 + 6 + 2, tokenizer.vocabularySize());
            assertEquals(1, tokenizer.encode("swallow").length);
        }
    }

    @Test
    void ifMissingRetrainsOnlyAfterAChange() throws Exception {
        run("--vocab", "500", "--if-missing");
        assertEquals(ExitCode.OK, run("--vocab", "500", "--if-missing"));
        assertEquals(1, selections.size());

        run("--vocab", "500", "--if-missing", "--seed", "2");
        assertEquals(2, selections.size());
        byte[] first = json();
        run("--vocab", "510", "--seed", "2", "--if-missing");
        assertEquals(3, selections.size());
        assertNotEquals(first.length, json().length);
        Files.writeString(data, Texts.prose(2, 4001));
        run("--vocab", "510", "--seed", "2", "--if-missing");
        assertEquals(4, selections.size());
        Files.setLastModifiedTime(data, FileTime.fromMillis(1_000_000));
        run("--vocab", "510", "--seed", "2", "--if-missing");
        assertEquals(5, selections.size());
        Files.writeString(out.resolve("hirundo-tokenizer.json"), "damaged");
        run("--vocab", "510", "--seed", "2", "--if-missing");
        assertEquals(6, selections.size());
        run("--vocab", "510", "--seed", "2", "--if-missing");
        assertEquals(6, selections.size());
    }

    @Test
    void seesChangesInsideAFolder() throws Exception {
        Path texts = Files.createDirectories(folder.resolve("texts").resolve("deep"));
        Files.writeString(texts.resolve("a.txt"), "a");
        Provenance before = Provenance.of(texts.getParent(), TextFormat.AUTO, 300, 1, 1);
        assertEquals(before, Provenance.of(texts.getParent(), TextFormat.AUTO, 300, 1, 1));
        Files.writeString(texts.resolve("b.txt"), "b");
        assertNotEquals(before, Provenance.of(texts.getParent(), TextFormat.AUTO, 300, 1, 1));
    }

    @Test
    void neverReplacesAForeignTokenizer() throws Exception {
        Files.createDirectories(out);
        Files.writeString(out.resolve("tokenizer.json"), "precious");
        assertEquals(ExitCode.OK, run("--if-missing"));
        var e = assertThrows(ConfigurationException.class, () -> run());
        assertTrue(e.getMessage().contains(out.toString()), e.getMessage());
        assertEquals("precious", Files.readString(out.resolve("tokenizer.json")));
        assertEquals(0, selections.size());
    }

    @Test
    void interruptedWhileReadingOrMergingWritesNothing() throws Exception {
        var all = new int[1];
        interrupted = () -> all[0]++ < 0;
        run("--vocab", "800");
        out = folder.resolve("other");
        for (int looks : new int[] {0, 3, all[0] - 5, all[0] - 1}) {
            var left = new int[] {looks};
            interrupted = () -> left[0]-- <= 0;
            assertEquals(ExitCode.INTERRUPTED, run("--vocab", "800"), looks + " looks");
            assertTrue(Files.notExists(out));
        }
        assertEquals(5, closedStreams);
    }

    @Test
    void rejectsMissingOrEmptyText() throws IOException {
        Files.writeString(data, "");
        var empty = assertThrows(DataException.class, () -> run());
        assertTrue(empty.getMessage().contains(data.toString()), empty.getMessage());
        Files.delete(data);
        var missing = assertThrows(DataException.class, () -> run());
        assertTrue(missing.getMessage().contains(data.toString()), missing.getMessage());
        assertTrue(Files.notExists(out));
    }

    @Test
    void rejectsFolderInPlaceOfEachFileBeforeReading() throws Exception {
        for (String name : List.of("tokenizer.json", "tokenizer_config.json", "hirundo-tokenizer.json")) {
            Path taken = Files.createDirectories(out.resolve(name));
            var e = assertThrows(StorageException.class, () -> run("--vocab", "300"));
            assertEquals(
                    "cannot write " + taken + ": it is a folder, not a regular file; remove it or choose another path",
                    e.getMessage());
            Files.delete(taken);
        }
        assertEquals(List.of(), files(out));
        assertEquals(List.of(), selections);
    }

    @Test
    void rejectsLinkToItselfWithoutClassNames() throws IOException {
        Files.delete(data);
        Files.createSymbolicLink(data, data);
        var e = assertThrows(DataException.class, () -> run());
        assertTrue(e.getMessage().contains(data.toString()) && !e.getMessage().contains("Exception"), e.getMessage());
    }

    @Test
    void namesAFolderThatCannotBeCreated() throws IOException {
        Files.writeString(folder.resolve("deep"), "a file");
        var e = assertThrows(StorageException.class, () -> run("--vocab", "300"));
        assertTrue(e.getMessage().contains(out.toString()), e.getMessage());
    }

    @Test
    void trainsEightThousandTokensInFarLessThanAMinuteOfCpuTime() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        String text = Texts.odd(1, 20_000) + Texts.prose(1, 500_000);
        long begin = system.getProcessCpuTime();
        assertTrue(Trained.vocabulary(text, 8000, 2).merges().size() > 5000);
        assertTrue(system.getProcessCpuTime() - begin < 30_000_000_000L, "too slow by far");
    }
}
