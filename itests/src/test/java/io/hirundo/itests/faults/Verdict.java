package io.hirundo.itests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Program;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Whether a user can work with what a command said of a broken file. */
final class Verdict {
    /** Without the paths of the folder in which the test runs. */
    private static final int LONGEST_LINE = 400;

    /** What only somebody who knows the libraries understands. */
    private static final Pattern LIBRARIES = Pattern.compile(
            "Exception|Error:|fasterxml|[Ss]nake[Yy]aml|Jackson|JsonToken|START_|END_OBJECT|VALUE_|\\[Source|Unexpected (character|end)|java\\.|jdk\\."
                    + "|org\\.|panicked|RUST_|a defect|\\tat |PropertyReference|reference chain|Cannot (deserialize|construct)"
                    + "|not subtype|@[0-9a-f]{6}");

    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\\n\\t]]");

    /** The class that a component description names; any name may stand there. */
    private static final Pattern COMPONENT_CLASS = Pattern.compile("that of the class [\\w.$]+");

    /** What the program says where nothing failed. */
    private static final Pattern NOTICE =
            Pattern.compile("|WARNING: Using incubator modules.*|See hirundo .*--help|Usage: .*");

    private Verdict() {}

    static void check(Specimen specimen, Path folder, Program.Result result) {
        check(specimen, folder, new byte[0], result);
    }

    /** As {@link #check(Specimen, Path, Program.Result)}; an error line may quote from the input, whatever words are in it. */
    static void check(Specimen specimen, Path folder, byte[] input, Program.Result result) {
        assertTrue(
                specimen.exitCodes().contains(result.exitCode()),
                () -> "exit code not in " + specimen.exitCodes() + ": " + shortened(result));
        List<String> said = result.err()
                .lines()
                .filter(line -> !NOTICE.matcher(line).matches())
                .toList();
        if (result.exitCode() == 0) {
            assertEquals(
                    List.of(),
                    said.stream().filter(line -> line.startsWith("hirundo: ")).toList(),
                    "errors, but exit code 0");
            return;
        }
        assertTrue(!CONTROLS.matcher(result.err()).find(), () -> "control characters: " + shortened(result));
        List<String> lines = said.stream()
                .map(line -> line.replace(folder.toString(), "DIR"))
                .toList();
        assertTrue(isOneError(lines), () -> "not one error: " + shortened(result));
        String quoted = new String(input, StandardCharsets.ISO_8859_1);
        for (String line : lines) {
            assertTrue(line.length() <= LONGEST_LINE, () -> line.length() + " characters: " + shortened(result));
            String own = COMPONENT_CLASS.matcher(line).replaceAll("");
            Optional<String> foreign = LIBRARIES
                    .matcher(own)
                    .results()
                    .map(MatchResult::group)
                    .filter(word -> !quoted.contains(word))
                    .findFirst();
            assertTrue(foreign.isEmpty(), () -> "a library's word " + foreign.get() + ": " + line);
        }
        for (String word : specimen.words()) {
            assertTrue(
                    lines.stream().anyMatch(line -> line.contains(word)), () -> "does not say " + word + ": " + lines);
        }
    }

    /** One line; or one that counts the wrong settings of a configuration, and these, each on an indented line of its own. */
    private static boolean isOneError(List<String> lines) {
        return !lines.isEmpty()
                && lines.getFirst().startsWith("hirundo: ")
                && (lines.size() == 1 || lines.getFirst().endsWith("settings are wrong"))
                && lines.stream().skip(1).allMatch(line -> line.startsWith("  "));
    }

    private static String shortened(Program.Result result) {
        String text = result.toString();
        return text.length() <= 3_000 ? text : text.substring(0, 2_900) + "... of " + text.length() + " characters";
    }
}
