package io.hirundo.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShellLineTest {
    private static final String PROGRAM = "hirundo.program";
    private static final String PROFILE = "hirundo.profile.chosen";

    @AfterEach
    void forget() {
        System.clearProperty(PROGRAM);
        System.clearProperty(PROFILE);
    }

    @Test
    void namesProgramAsInvoked() {
        assertEquals("hirundo train a.json", ShellLine.of("train", "a.json"));
        System.setProperty(PROGRAM, "/my tools/hirundo");
        System.setProperty(PROFILE, "cuda");
        assertEquals("'/my tools/hirundo' --profile cuda train a.json", ShellLine.of("train", "a.json"));
    }

    /** Usage texts (footers and descriptions of options) name the program as picocli does: {@code hirundo}. */
    @Test
    void messagesUseShellLineForProgramName() throws IOException {
        var literal = Pattern.compile(
                "\"[^\"]*(?<![\\w./'])hirundo (attach|checkpoint (list|verify|show)|data [a-z]|doctor|plan|plugins|train)\\b");
        var usage = Pattern.compile("\"  .*hirundo |description = ");
        var found = new ArrayList<String>();
        int sources = 0;
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.filter(each -> each.toString().contains("/src/main/java/")
                            && each.toString().endsWith(".java"))
                    .toList()) {
                sources++;
                Files.readAllLines(file).stream()
                        .filter(line -> literal.matcher(line).find()
                                && !usage.matcher(line).find())
                        .forEach(line -> found.add(file.getFileName() + ": " + line.strip()));
            }
        }
        assertTrue(sources > 500, "sources: " + sources);
        assertEquals(List.of(), found, "use ShellLine");
    }

    @Test
    void quotesArgumentsForShell() {
        assertEquals(
                "hirundo '' 'it'\\''s' '$HOME' '~/a' 'a*' 'data[0]=1'",
                ShellLine.of("", "it's", "$HOME", "~/a", "a*", "data[0]=1"));
    }
}
