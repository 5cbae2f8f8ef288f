package io.hirundo.dataloader.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.testkit.CommandContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@HirundoContract
class VerifyCommandTest implements CommandContract {
    @TempDir
    private Path folder;

    private Workbench bench;
    private String one;
    private String other;

    @BeforeEach
    void prepare() {
        bench = new Workbench(folder);
        bench.write("tok/tokenizer.json", "{}");
        bench.write("texts/a.txt", "x".repeat(300_000));
        one = bench.path("sets/one");
        other = bench.path("sets/other");
        for (String prefix : List.of(one, other)) {
            bench.tokenizer = new ByteTokenizer(OptionalInt.empty(), OptionalInt.empty());
            bench.tokenize("--tokenizer", bench.path("tok"), "--data", bench.path("texts"), "--out", prefix);
        }
    }

    @Override
    public Command command() {
        return bench.verifyCommand();
    }

    @Override
    public List<List<String>> workingArguments() {
        return List.of(List.of(one), List.of(one, other));
    }

    @Override
    public List<List<String>> failingArguments() {
        return List.of(List.of(bench.path("sets/none")), List.of(one, one + ".bin"));
    }

    private static void damage(String prefix) throws IOException {
        try (var bin = new RandomAccessFile(prefix + ".bin", "rw")) {
            bin.seek(300_001);
            bin.write(7);
        }
    }

    @Test
    void acceptsAWrittenDataset() {
        assertEquals(ExitCode.OK, bench.verify(one, other));
        assertTrue(bench.out.contains(one + ": 3 blocks, 600 kB, are as they were written"), bench.out);
        assertTrue(bench.out.contains(other + ": 3 blocks"), bench.out);
    }

    @Test
    void namesDamage() throws IOException {
        damage(one);
        var failure = assertThrows(DataException.class, () -> bench.verify(one, other));
        assertTrue(
                failure.getMessage()
                        .contains("1 of 3 blocks differ from their checksums, the first: " + one + ".bin, block 1 "),
                failure.getMessage());
        assertTrue(bench.err.contains("block 1 (bytes 262144 to 524287), document"), bench.err);
        assertTrue(bench.out.contains(other + ": 3 blocks"), "the other is verified all the same: " + bench.out);
        damage(other);
        failure = assertThrows(DataException.class, () -> bench.verify(one, other));
        assertTrue(
                failure.getMessage().startsWith("2 of 2 datasets are not as they were written"), failure.getMessage());
    }

    @Test
    void stopsOnCtrlC() {
        bench.patience.set(0);
        assertEquals(ExitCode.INTERRUPTED, bench.verify(one));
        assertTrue(bench.err.contains("stopped: not all of " + one), bench.err);
    }

    @Test
    void checksTokenIdsOfDatasetsWithoutChecksumsToo() throws IOException {
        assertEquals(ExitCode.OK, bench.verify(one, "--vocab", "121"));
        assertTrue(bench.out.contains("all 300,000 token ids are below 121"), bench.out);
        assertTrue(bench.out.contains("are as they were written"), bench.out);
        var failure = assertThrows(DataException.class, () -> bench.verify(one, "--vocab", "120"));
        assertTrue(
                failure.getMessage().contains("one.bin holds token 120, but a vocabulary of 120 ends with 119"),
                failure.getMessage());
        Files.delete(Path.of(one + ".sums"));
        Files.delete(Path.of(one + ".json"));
        assertThrows(DataException.class, () -> bench.verify(one));
        assertEquals(ExitCode.OK, bench.verify(one, "--vocab", "121"));
        assertTrue(bench.out.contains("there are no checksums to compare"), bench.out);
        assertThrows(ConfigurationException.class, () -> bench.verify(one, "--vocab", "0"));
    }
}
