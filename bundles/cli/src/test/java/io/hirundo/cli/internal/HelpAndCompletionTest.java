package io.hirundo.cli.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class HelpAndCompletionTest {
    @Command(description = "Does something. And more of it.")
    static final class Something implements Callable<Integer> {
        @Option(names = "--wings", description = "How many.")
        private int wings;

        @Override
        public Integer call() {
            return wings;
        }
    }

    private final CommandLine root = new CommandLine(new RootCommand());

    private String help(String... names) {
        for (String name : names) {
            root.addSubcommand(name, new CommandLine(new Something()));
        }
        HelpGroups.addTo(root);
        return root.getUsageMessage();
    }

    /** Each at its line, so that the order of groups counts, and not the order in which bundles bring commands. */
    @Test
    void groupsCommandsByWhatTheyAreFor() {
        List<String> lines = help("fly", "train", "quickstart", "plan")
                .lines()
                .map(String::strip)
                .toList();
        int begin = lines.indexOf("Begin:");
        assertTrue(begin > 0, lines::toString);
        assertEquals("quickstart          Does something.", lines.get(begin + 1));
        assertEquals(List.of("", "Train:"), lines.subList(begin + 2, begin + 4));
        assertEquals("plan                Does something.", lines.get(begin + 4));
        assertEquals("train               Does something.", lines.get(begin + 5));
        assertEquals(List.of("", "Other commands:"), lines.subList(begin + 6, begin + 8));
        assertEquals("fly                 Does something.", lines.get(begin + 8));
    }

    @Test
    void leavesOutGroupsWithoutCommands() {
        String help = help("train");
        assertFalse(help.contains("Begin:") || help.contains("Other commands:"), help);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void scriptCompletesCommandsAndOptions(String shell) throws IOException, InterruptedException {
        root.addSubcommand("train", new CommandLine(new Something()));
        String script = CompletionCommand.script(shell, root);
        assertEquals("train", complete(script, "hirundo", "tr"));
        assertEquals("--wings", complete(script, "hirundo", "train", "--w"));
    }

    /** What bash completes the last word to. {@code compopt} works only while a shell completes what is typed. */
    private static String complete(String script, String... words) throws IOException, InterruptedException {
        String question = script + "\ncompopt() { :; }\nCOMP_WORDS=(" + String.join(" ", words) + ")\nCOMP_CWORD="
                + (words.length - 1) + "\nCOMP_LINE='" + String.join(" ", words)
                + "'\nCOMP_POINT=${#COMP_LINE}\n_complete_hirundo\necho ${COMPREPLY[@]}\n";
        Process bash = new ProcessBuilder("bash").redirectErrorStream(true).start();
        bash.getOutputStream().write(question.getBytes(StandardCharsets.UTF_8));
        bash.getOutputStream().close();
        String answer = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, bash.waitFor(), answer);
        return answer;
    }

    @Test
    void rejectsAnotherShell() {
        var failure = assertThrows(ConfigurationException.class, () -> CompletionCommand.script("fish", root));
        assertTrue(failure.getMessage().contains("fish is wrong (allowed: bash, zsh)"), failure.getMessage());
    }
}
