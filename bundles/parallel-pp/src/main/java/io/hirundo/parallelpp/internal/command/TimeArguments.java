package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.ActionTimes;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How long actions take, on the command line. */
public final class TimeArguments {
  private static final double LONGEST = 1e6;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(names = "--forward", paramLabel = "TIME", defaultValue = "1", description = "Of a stage's forward. Default: ${DEFAULT-VALUE}.")
  private double forward;

  @Option(names = "--backward-input", paramLabel = "TIME", defaultValue = "1", description = "Of the gradient of its input. Default: ${DEFAULT-VALUE}.")
  private double backwardInput;

  @Option(names = "--backward-weight", paramLabel = "TIME", defaultValue = "1", description = "Of the gradients of its weights. Default: ${DEFAULT-VALUE}.")
  private double backwardWeight;

  @Option(names = "--transfer", paramLabel = "TIME", defaultValue = "0", description = "From rank to rank. Default: ${DEFAULT-VALUE}.")
  private double transfer;

  ActionTimes times() {
    require("--forward", forward, forward > 0, "above 0");
    require("--backward-input", backwardInput, backwardInput > 0, "above 0");
    require("--backward-weight", backwardWeight, backwardWeight > 0, "above 0");
    require("--transfer", transfer, transfer >= 0, "at least 0");
    return new ActionTimes(forward, backwardInput, backwardWeight, transfer);
  }

  private void require(String option, double value, boolean holds, String allowed) {
    if (!holds || value > LONGEST) {
      throw new ParameterException(command.commandLine(), option + " is " + value + ", but a time is " + allowed + " and at most a million");
    }
  }
}
