package io.hirundo.dataloader.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.testkit.CommandContract;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@HirundoContract
class InspectCommandTest implements CommandContract {
    @TempDir
    private Path folder;

    private Workbench bench;
    private String prefix;

    @BeforeEach
    void prepare() {
        bench = new Workbench(folder);
        bench.write("tok/tokenizer.json", "{}");
        bench.write("texts/a.txt", "first");
        bench.write("texts/b.txt", "x".repeat(300));
        prefix = bench.path("sets/x");
        bench.tokenize("--tokenizer", bench.path("tok"), "--data", bench.path("texts"), "--out", prefix);
    }

    @Override
    public Command command() {
        return new InspectCommand(bench, new CtrlC());
    }

    @Override
    public List<List<String>> workingArguments() {
        return List.of(List.of(prefix), List.of(prefix, "--documents", "0"));
    }

    @Override
    public List<List<String>> failingArguments() {
        return List.of(List.of(bench.path("sets/none")), List.of(prefix + ".bin"));
    }

    @Test
    void showsADatasetWithItsOwnTokenizer() {
        assertEquals(ExitCode.OK, bench.inspect(prefix));
        for (String line : new String[] {
            "Documents  2",
            "Tokens     309",
            "Lengths    7 to 302, mean 154.5",
            "4-7            1",
            "256-511            1",
            "Token ids  102 to 257",
            "Source     " + bench.path("texts") + ", all of it",
            "vocabulary of 258",
            "--- document 0, 7 tokens",
            "<256>first<257>",
            "x ..."
        }) {
            assertTrue(bench.out.contains(line), () -> line + "\n" + bench.out);
        }
    }

    @Test
    void showsTokenIdsIfTheTokenizerIsGone() throws IOException {
        Files.delete(folder.resolve("tok/tokenizer.json"));
        Files.delete(folder.resolve("tok"));
        assertEquals(ExitCode.OK, bench.inspect(prefix, "--documents", "1"));
        assertTrue(bench.out.contains("[256, 102, 105"), bench.out);
        assertFalse(bench.out.contains("document 1"), bench.out);
    }

    @Test
    void showsForeignDescriptionWithoutControlCharacters() throws IOException {
        Path description = folder.resolve("sets/x.json");
        String text = Files.readString(description);
        Files.writeString(
                description,
                text.replace(bench.path("texts"), "a\\u001b[31mb").replace(bench.path("tok"), "c\\u0000d"));
        assertEquals(ExitCode.OK, bench.inspect(prefix));
        assertTrue(bench.out.contains("Source     a\\u001b[31mb, all of it"), bench.out);
        assertTrue(bench.out.contains("Tokenizer  c\\u0000d, vocabulary"), bench.out);
        assertTrue(bench.out.contains("[256, 102, 105"), bench.out);
    }

    @Test
    void showsAForeignDataset() {
        write(TokenType.I32, 1, 2, 300);
        assertEquals(ExitCode.OK, bench.inspect(bench.path("sets/y")));
        assertTrue(bench.out.contains("[1, 2, 300]"), bench.out);
        var failure = assertThrows(
                DataException.class, () -> bench.inspect(bench.path("sets/y"), "--tokenizer", bench.path("tok")));
        assertTrue(failure.getMessage().contains("token 300, but the vocabulary"), failure::getMessage);
    }

    @Test
    void findsDamage() throws IOException {
        write(TokenType.I32, 1, -2, 3);
        assertTrue(assertThrows(DataException.class, () -> bench.inspect(bench.path("sets/y")))
                .getMessage()
                .contains("holds token -2"));
        try (var bin = new RandomAccessFile(prefix + ".bin", "rw")) {
            bin.seek(301);
            bin.write(7);
        }
        assertTrue(assertThrows(DataException.class, () -> bench.inspect(prefix))
                .getMessage()
                .contains("differs from its checksum"));
        Files.delete(folder.resolve("sets/x.sums"));
        assertTrue(assertThrows(DataException.class, () -> bench.inspect(prefix))
                .getMessage()
                .contains("is damaged: its largest token"));
        Files.write(folder.resolve("sets/x.bin"), new byte[9]);
        assertTrue(assertThrows(DataException.class, () -> bench.inspect(prefix))
                .getMessage()
                .contains("cut short"));
    }

    private void write(TokenType type, int... tokens) {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("sets/y"), type)) {
            writer.add(tokens);
            writer.commit(_ -> null);
        }
    }
}
