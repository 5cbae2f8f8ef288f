package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.command.Check.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryCheckTest {
    @TempDir
    private Path folder;

    @Test
    void reportsTheVersionOfALoadedLibrary() {
        var finding = new NativeLibraryCheck(TestTokenizers.LIBRARY).look().getFirst();

        assertEquals(State.GOOD, finding.state(), finding.text());
        assertTrue(finding.text().matches(".* \\d+\\.\\d+\\S* for \\w+-\\w+, loaded"), finding.text());
    }

    @Test
    void reportsALibraryThatCannotBeUnpacked() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "x");

        var finding = new NativeLibraryCheck(new NativeLibrary(occupied)).look().getFirst();

        assertEquals(State.BAD, finding.state());
        assertTrue(finding.text().contains(occupied.toString()), finding.text());
    }
}
