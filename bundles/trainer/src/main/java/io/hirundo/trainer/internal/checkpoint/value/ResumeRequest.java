package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.command.ShellLine;
import io.hirundo.lib.run.rate.ScheduleChoice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a run resumes, or starts from a checkpoint of another run.
 *
 * @param source folder of the other run; empty to resume
 * @param with what the run takes from the checkpoint
 * @param at the step whose checkpoint it takes; empty for the newest
 * @param schedule how the learning-rate schedule continues
 * @param arguments the command line without these choices, for messages
 */
public record ResumeRequest(
        Optional<Path> source, StartWith with, OptionalLong at, ScheduleChoice schedule, List<String> arguments) {
    public ResumeRequest {
        arguments = List.copyOf(arguments);
    }

    /** Resumes a run. */
    public ResumeRequest(OptionalLong at, ScheduleChoice schedule, List<String> arguments) {
        this(Optional.empty(), StartWith.DATA, at, schedule, arguments);
    }

    /** From the newest checkpoint. */
    public static ResumeRequest newest(Path configuration) {
        return new ResumeRequest(
                OptionalLong.empty(), ScheduleChoice.UNCHANGED, List.of("train", configuration.toString(), "--resume"));
    }

    /** The option that asks for it. */
    public String option() {
        return source.isPresent() ? "--start-from" : "--resume";
    }

    /** The command line that takes the checkpoint of a step. */
    public String commandAt(long step) {
        return source.map(run -> command("--start-from", run + "@" + step))
                .orElseGet(() -> command("--at", String.valueOf(step)));
    }

    /** The command line with another choice of schedule. */
    public String commandWith(ScheduleChoice choice) {
        String at = source.map(run -> run + (this.at.isPresent() ? "@" + this.at.getAsLong() : ""))
                .orElse("");
        String name = choice.name().toLowerCase(Locale.ROOT);
        return source.isPresent()
                ? command("--start-from", at, "--lr-schedule", name)
                : this.at.isPresent()
                        ? command("--at", String.valueOf(this.at.getAsLong()), "--lr-schedule", name)
                        : command("--lr-schedule", name);
    }

    private String command(String... more) {
        var all = new ArrayList<>(arguments);
        all.addAll(List.of(more));
        return ShellLine.of(all);
    }
}
