package io.hirundo.itests.faults;

import io.hirundo.itests.damage.Breakage;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A case of the zoo.
 *
 * @param reader whose file is broken
 * @param fault what is wrong with it
 * @param original folder of good files, which are copied for the case
 * @param file the one of them that is broken
 * @param breakage what is done to it
 * @param exitCodes one of these is expected; 0 among them where the file may also be read as good
 * @param words what the line must say
 * @param ownProcess whether the fault may end the process in which it is read
 * @param command what reads it; {@code {}} stands for the folder of the case
 * @param parser called with the contents of the file where no command reads it; null otherwise
 */
record Specimen(
        String reader,
        String fault,
        Path original,
        String file,
        Breakage breakage,
        Set<Integer> exitCodes,
        List<String> words,
        boolean ownProcess,
        List<String> command,
        FuzzedMethods.Run parser) {
    String name() {
        return reader + ": " + fault;
    }

    List<String> commandIn(Path folder) {
        return command.stream()
                .map(word -> word.replace("{}", folder.toString()))
                .toList();
    }
}
