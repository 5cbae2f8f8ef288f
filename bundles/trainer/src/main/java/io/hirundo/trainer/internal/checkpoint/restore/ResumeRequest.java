package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.command.ShellLine;
import io.hirundo.trainer.internal.rate.ScheduleChoice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * How a run resumes.
 *
 * @param at the step whose checkpoint it takes; empty for the newest
 * @param schedule what becomes of the learning-rate schedule
 * @param arguments the command line without these choices, for messages
 */
public record ResumeRequest(OptionalLong at, ScheduleChoice schedule, List<String> arguments) {
  public ResumeRequest {
    arguments = List.copyOf(arguments);
  }

  /** From the newest checkpoint. */
  public static ResumeRequest newest(Path configuration) {
    return new ResumeRequest(OptionalLong.empty(), ScheduleChoice.UNCHANGED, List.of("train", configuration.toString(), "--resume"));
  }

  /** The command line with more arguments. */
  public String command(String... more) {
    var all = new ArrayList<>(arguments);
    all.addAll(List.of(more));
    return ShellLine.of(all);
  }
}
