package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.TextFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ProvenanceTest {
    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void takesNamedPipeForAnotherTokenizer() throws Exception {
        Path text = Files.writeString(folder.resolve("text.txt"), "a");
        Path out = Files.createDirectory(folder.resolve("out"));
        var provenance = Provenance.of(text, TextFormat.AUTO, 300, 1000, 1);
        provenance.write(out);
        assertTrue(provenance.isOf(out));
        Path file = out.resolve("hirundo-tokenizer.json");
        Files.delete(file);
        assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
        assertFalse(provenance.isOf(out));
    }
}
