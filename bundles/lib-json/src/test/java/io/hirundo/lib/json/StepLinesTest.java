package io.hirundo.lib.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepLinesTest {
    @TempDir
    Path folder;

    @Test
    void dropsWhatARepeatedStepWritesAgain() throws IOException {
        assertEquals(
                "{\"step\":1}\n{\"step\":2}\n",
                before(3, "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"step\":4,\"lo"));
    }

    @Test
    void dropsWhatHirundoDidNotWrite() throws IOException {
        String keptLine = "{\"text\":\"\u00e9\",\"step\":1}\n";
        assertEquals(keptLine, before(3, "[1]\n" + keptLine + "{\"loss\":1}\n{\"step\":" + "1".repeat(2_000) + "}\n"));
    }

    @Test
    void dropsALineThatIsLongerThanMemoryAllows() throws IOException {
        assertEquals(
                "{\"step\":1}\n", before(3, "{\"step\":1}\n{\"step\":2,\"text\":\"" + "x".repeat(5 << 20) + "\"}\n"));
    }

    /** Sparse: 64 GB that take no room. */
    @Test
    void dropsTheHoleAtTheEndWithoutReadingIt() throws IOException {
        Path file = Files.writeString(folder.resolve("metrics.jsonl"), "{\"step\":1}\n{\"step\":2}\n");
        try (var hole = FileChannel.open(file, StandardOpenOption.WRITE)) {
            hole.write(ByteBuffer.allocate(1), (64L << 30) - 1);
        }
        assertEquals((64L << 30) - 11, StepLines.dropFrom(2, file));
        assertEquals("{\"step\":1}\n", Files.readString(file));
        assertEquals(0, StepLines.dropFrom(2, file));
    }

    private String before(long step, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("metrics.jsonl"), text);
        StepLines.dropFrom(step, file);
        return Files.readString(file);
    }
}
