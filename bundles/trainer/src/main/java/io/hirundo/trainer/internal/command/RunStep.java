package io.hirundo.trainer.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run and a step of it, as {@code RUN@STEP}.
 *
 * @param run its folder
 * @param step empty for the newest
 */
record RunStep(Path run, OptionalLong step) {
    private static final Pattern AT_STEP = Pattern.compile("(.+)@(\\d{1,18})");

    /**
     * Parses it. The name of a run may end as if it had a step.
     *
     * @throws ConfigurationException if there is no such run
     */
    static RunStep parse(String text) {
        Matcher matcher = AT_STEP.matcher(text);
        RunStep found = !isRun(Path.of(text)) && matcher.matches()
                ? new RunStep(Path.of(matcher.group(1)), OptionalLong.of(Long.parseLong(matcher.group(2))))
                : new RunStep(Path.of(text), OptionalLong.empty());
        int at = text.lastIndexOf('@');
        if (!isRun(found.run()) && at > 0 && isRun(Path.of(text.substring(0, at)))) {
            throw new ConfigurationException(
                    "--start-from: " + text + ": the step is wrong (allowed: the step of a checkpoint, as in "
                            + text.substring(0, at) + "@700)");
        }
        if (!isRun(found.run())) {
            throw new ConfigurationException("--start-from: " + found.run() + " is no run directory: it has no "
                    + RunFolder.CONFIGURATION + " (allowed: runs/NAME or runs/NAME@STEP)");
        }
        return found;
    }

    private static boolean isRun(Path folder) {
        return Files.exists(folder.resolve(RunFolder.CONFIGURATION));
    }

    ResumeRequest request(StartWith with, ScheduleChoice choice, List<String> arguments) {
        return new ResumeRequest(Optional.of(run), with, step, choice, arguments);
    }
}
