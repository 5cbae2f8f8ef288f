package io.hirundo.control.internal.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptHistoryTest {
    @TempDir
    private Path directory;

    private Path file;
    private PromptHistory history;

    @BeforeEach
    void open() {
        file = directory.resolve(PromptHistory.FILE);
        history = new PromptHistory(directory);
    }

    @Test
    void neverAppendsThroughALink() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious\n");
        Files.createSymbolicLink(file, victim);
        history.add("status");
        assertEquals("precious\n", Files.readString(victim));
    }

    @Test
    void takesPermissionsAwayFromOthers() throws IOException {
        Files.writeString(file, "pause\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        history.add("status");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(List.of("pause", "status"), history.lines());
    }

    @Test
    void dropsTheOlderHalfWhenItIsFull() throws IOException {
        String line = "x".repeat(1000);
        int lines = PromptHistory.MAX_BYTES / 1001;
        Files.writeString(file, (line + "\n").repeat(lines));
        history.add(line);
        history.add("status");
        List<String> kept = history.lines();
        assertEquals(List.of(line, line, "status"), kept.subList(kept.size() - 3, kept.size()));
        assertEquals(lines / 2, kept.size() - 2, 1.0);
        assertTrue(kept.subList(0, kept.size() - 2).stream().allMatch(line::equals), "whole lines only");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void leavesOutALineThatWouldFillIt() {
        history.add("status");
        history.add("y".repeat(PromptHistory.MAX_BYTES));
        history.add("pause");
        assertEquals(List.of("status", "pause"), history.lines());
    }
}
