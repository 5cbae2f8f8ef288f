package io.hirundo.runreport.internal.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryReaderTest {
    private static final String STEP = "{\"step\": %d, \"loss\": 2.5, \"stepNanos\": 1, \"tokens\": 8}";

    @TempDir
    private Path folder;

    private RunHistory read(String... lines) throws IOException {
        Files.writeString(folder.resolve("config.json"), "{}");
        Files.writeString(folder.resolve("metrics.jsonl"), String.join("\n", lines));
        return HistoryReader.read(folder);
    }

    /** As a tree of nodes, a line of 30 MB takes gigabytes. */
    @Test
    void countsALineThatIsTooLongAsUnreadable() throws IOException {
        RunHistory history =
                read(STEP.formatted(1), "{\"step\": 2, \"x\": [" + "0.5,".repeat(2 << 20) + "1]}", STEP.formatted(3));
        assertEquals(1, history.unreadableLines());
        assertEquals(16, history.tokens());
    }

    @Test
    void readsLastLineWithoutLineFeedAndCountsTruncatedLines() throws IOException {
        RunHistory history = read(STEP.formatted(1), "{\"step\": 2, \"lo", STEP.formatted(3));
        assertEquals(1, history.unreadableLines());
        assertEquals(16, history.tokens());
    }

    @Test
    void readsRejectedRequestsOfEarlierVersions() throws IOException {
        RunHistory history = read(
                STEP.formatted(1),
                "{\"refused\":[\"precision: fp32 to fp8\"],\"step\":1,\"reason\":\"no parity\"}",
                "{\"rejected\":[\"precision: fp32 to bf16\"],\"step\":1,\"reason\":\"no jar\"}");
        assertEquals(
                List.of(
                        new RunEvent(1, RunEvent.Kind.REJECTED, "precision: fp32 to fp8: no parity"),
                        new RunEvent(1, RunEvent.Kind.REJECTED, "precision: fp32 to bf16: no jar")),
                history.events());
    }
}
