package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeptFoldersTest {
    private final KeptFolders kept = new KeptFolders();

    @Test
    void saysNothingIfAllFoldersAreRemoved() {
        assertEquals(Optional.empty(), kept.line());
    }

    @Test
    void namesOneFolderWithReasonAndRemedy() {
        kept.add(
                Path.of("/tmp/hirundo-process-1"),
                new FileSystemException("/tmp/hirundo-process-1/lock", null, "Operation not permitted"));
        assertEquals(
                "could not remove the temporary folder /tmp/hirundo-process-1 (/tmp/hirundo-process-1/lock: Operation not permitted); remove it by hand,"
                        + " or set TMPDIR to another folder",
                kept.line().orElseThrow());
    }

    /** The process's own folder and those of killed processes fail for the same reason. */
    @Test
    void countsFurtherFoldersInTheSameLine() {
        kept.add(Path.of("/tmp/hirundo-process-2"), new AccessDeniedException("/tmp/hirundo-process-2"));
        kept.add(Path.of("/tmp/hirundo-process-1"), new IOException("Input/output error"));
        kept.add(Path.of("/tmp/hirundo-process-3"), new IOException("Input/output error"));
        assertEquals(
                "could not remove the temporary folder /tmp/hirundo-process-1 and 2 more (Input/output error); remove them by hand,"
                        + " or set TMPDIR to another folder",
                kept.line().orElseThrow());
    }

    @Test
    void describesFailuresWithoutReasonInWords() {
        kept.add(Path.of("/tmp/a"), new AccessDeniedException("/tmp/a/b"));
        assertEquals(
                "could not remove the temporary folder /tmp/a (/tmp/a/b: permission denied); remove it by hand, or set TMPDIR to another folder",
                kept.line().orElseThrow());
    }
}
