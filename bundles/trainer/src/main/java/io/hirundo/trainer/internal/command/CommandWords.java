package io.hirundo.trainer.internal.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** The words of a command line, to build another one from it. */
final class CommandWords {
    private CommandWords() {}

    /**
     * All words but those of some options.
     *
     * @param options each with one value, as {@code --at 7} or {@code --at=7}
     */
    static List<String> without(CommandSpec spec, Set<String> options) {
        var words = new ArrayList<String>();
        boolean isValue = false;
        for (String word : spec.commandLine().getParseResult().originalArgs()) {
            boolean isOption = options.contains(word);
            if (!isValue && !isOption && options.stream().noneMatch(option -> word.startsWith(option + "="))) {
                words.add(word);
            }
            isValue = isOption;
        }
        return words;
    }
}
