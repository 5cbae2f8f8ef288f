package io.hirundo.dataloader.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CleanCommandTest {
    private static final int DOCUMENTS = 120;

    @TempDir
    private Path folder;

    private Workbench bench;

    @BeforeEach
    void writeTexts() {
        bench = new Workbench(folder);
        for (int i = 0; i < DOCUMENTS; i++) {
            // Letters, since digits make no paragraph another one.
            String name = Character.toString('a' + i / 26) + Character.toString('a' + i % 26);
            bench.write("texts/" + (i % 2 == 0 ? "even" : "odd") + "/" + i, (name + " ").repeat(20));
        }
    }

    private int clean(String... more) {
        var arguments = new ArrayList<>(
                List.of("--data", bench.path("texts"), "--out", bench.path("out/clean.jsonl"), "--least-chars", "10"));
        arguments.addAll(List.of(more));
        return bench.clean(arguments.toArray(String[]::new));
    }

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    @Test
    void holdsOutOneDocumentInFifty() throws IOException {
        assertEquals(ExitCode.OK, clean("--held-out", bench.path("held.jsonl")));
        assertEquals(DOCUMENTS - 2, lines("out/clean.jsonl").size());
        assertEquals(2, lines("held.jsonl").size());
        var all = new HashSet<>(lines("out/clean.jsonl"));
        all.addAll(lines("held.jsonl"));
        assertEquals(DOCUMENTS, all.size());
        assertTrue(
                bench.out.contains(
                        "clean.jsonl: 118 of 120 documents, and 2 held out in " + bench.path("held.jsonl") + ", "),
                bench.out);
    }

    @Test
    void shufflesDeterministically() throws IOException {
        clean();
        byte[] once = Files.readAllBytes(folder.resolve("out/clean.jsonl"));
        clean();
        assertEquals(-1, Arrays.mismatch(once, Files.readAllBytes(folder.resolve("out/clean.jsonl"))));
        assertFalse(lines("out/clean.jsonl")
                .equals(lines("out/clean.jsonl").stream().sorted().toList()));
    }

    @Test
    void takesOnlyFilesThatMatch() throws IOException {
        assertEquals(ExitCode.OK, clean("--include", "even/*"));
        assertEquals(DOCUMENTS / 2, lines("out/clean.jsonl").size());
        assertEquals(ExitCode.OK, clean("--include", "even/*", "--include", "**/*1"));
        assertEquals(DOCUMENTS / 2 + 12, lines("out/clean.jsonl").size());
    }

    @Test
    void keepsAFileOfTheSameSources() throws IOException {
        clean("--if-missing");
        Path out = folder.resolve("out/clean.jsonl");
        Files.setLastModifiedTime(out, FileTime.fromMillis(0));
        clean("--if-missing");
        assertEquals(FileTime.fromMillis(0), Files.getLastModifiedTime(out));
        assertTrue(bench.out.contains("is there"), bench.out);
        clean("--if-missing", "--include", "even/*");
        assertEquals(DOCUMENTS / 2, lines("out/clean.jsonl").size());
        bench.write("texts/even/more", "Something else to read about, at last.");
        clean("--if-missing", "--include", "even/*");
        assertEquals(DOCUMENTS / 2 + 1, lines("out/clean.jsonl").size());
    }

    @Test
    void writesNothingIfNothingIsLeft() {
        var failure = assertThrows(DataException.class, () -> clean("--include", "none/*"));
        assertTrue(failure.getMessage().contains("nothing is left of the 0 documents"), failure.getMessage());
        assertFalse(Files.exists(folder.resolve("out/clean.jsonl")));
    }

    @Test
    void interruptedItWritesNothing() {
        bench.patience.set(5);
        assertEquals(ExitCode.INTERRUPTED, clean());
        assertFalse(Files.exists(folder.resolve("out/clean.jsonl")));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void rejectsRecipeThatIsNamedPipeBeforeTheWork() throws Exception {
        clean();
        Path recipe = folder.resolve("out/clean.jsonl.recipe");
        Files.delete(recipe);
        assertEquals(0, new ProcessBuilder("mkfifo", recipe.toString()).start().waitFor());
        byte[] before = Files.readAllBytes(folder.resolve("out/clean.jsonl"));
        for (String[] more : new String[][] {{"--if-missing", "--include", "even/*"}, {"--include", "even/*"}}) {
            var failure = assertThrows(StorageException.class, () -> clean(more));
            assertTrue(failure.getMessage().contains(recipe + ": it is a named pipe"), failure.getMessage());
        }
        assertEquals(-1, Arrays.mismatch(before, Files.readAllBytes(folder.resolve("out/clean.jsonl"))));
    }

    @Test
    void rejectsPatternThatIsNoGlob() {
        var failure = assertThrows(ConfigurationException.class, () -> clean("--include", "["));
        assertTrue(failure.getMessage().startsWith("--include: '[' is no pattern for paths"), failure.getMessage());
    }

    @Test
    void matchesNamesThatNoFileCanHave() throws IOException {
        Path zip = folder.resolve("names.zip");
        try (var out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (String name : List.of("a\0b.txt", "good.txt")) {
                out.putNextEntry(new ZipEntry(name));
                out.write((name.charAt(0) + " is a text of some length. ")
                        .repeat(20)
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        assertEquals(
                ExitCode.OK,
                bench.clean("--data", zip.toString(), "--out", bench.path("clean.jsonl"), "--include", "**"));
        assertEquals(1, lines("clean.jsonl").size());
    }

    @Test
    void helpHasNoFormatErrors() {
        PrintStream before = System.err;
        var warnings = new ByteArrayOutputStream();
        System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
        try {
            String help = new CommandLine(new CleanCommand(null, null)).getUsageMessage();
            assertTrue(help.replaceAll("\\s+", " ").contains("at least 80 % came before"), help);
        } finally {
            System.setErr(before);
        }
        assertEquals("", warnings.toString(StandardCharsets.UTF_8));
    }

    @Test
    void rejectsAnUnknownExtract() {
        var failure = assertThrows(CommandLine.ParameterException.class, () -> clean("--extract", "pdf"));
        assertTrue(failure.getMessage().contains("'pdf' is wrong (allowed: all, javadoc)"), failure.getMessage());
    }
}
