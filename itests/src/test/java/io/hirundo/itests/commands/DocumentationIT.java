package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages in the repository equal those that the program writes. */
class DocumentationIT {
    /** The subcommands of a group, over one line or several. */
    private static final Pattern COMMANDS = Pattern.compile("(?m)^Commands: ([a-z, \\n-]+)\\.$");

    private static final Pattern LISTED = Pattern.compile("(?m)^  ([a-z][a-z-]*) ");

    @Test
    void thePageOfSettings() throws Exception {
        Program.Result reference = InProcess.command("config", "reference");

        assertEquals(0, reference.exitCode(), reference::toString);
        assertEquals(
                Files.readString(Profiles.distro()
                        .resolve("../../../docs/configuration.md")
                        .normalize()),
                reference.out(),
                "docs/configuration.md differs from the program's settings; regenerate it with\n"
                        + "    ./hirundo config reference > docs/configuration.md\n");
    }

    /** Every terminal has 80 columns. */
    @Test
    void helpOfEveryCommandFits80Columns() throws Exception {
        var left = new ArrayDeque<List<String>>(List.of(List.of()));
        var tooLong = new ArrayList<String>();
        int commands = 0;
        while (!left.isEmpty()) {
            List<String> path = left.remove();
            String help = help(path);
            help.lines().filter(line -> line.length() > 80).forEach(line -> tooLong.add(path + ": " + line));
            COMMANDS.matcher(help)
                    .results()
                    .flatMap(found -> Stream.of(found.group(1).split(",\\s+|\\.\\s")))
                    .map(name -> append(path, name))
                    .forEach(left::add);
            if (path.isEmpty()) {
                LISTED.matcher(help.substring(help.indexOf("Begin:"), help.indexOf("Examples:")))
                        .results()
                        .map(found -> List.of(found.group(1)))
                        .forEach(left::add);
            }
            commands++;
        }
        assertTrue(commands > 25, commands + " commands");
        assertEquals("", String.join("\n", tooLong));
    }

    private static String help(List<String> path) throws Exception {
        Program.Result help = InProcess.command(append(path, "--help").toArray(String[]::new));
        assertEquals(0, help.exitCode(), help::toString);
        return help.out();
    }

    private static List<String> append(List<String> path, String word) {
        return Stream.concat(path.stream(), Stream.of(word.strip())).toList();
    }
}
