package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.ActionTimes;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the durations of actions. */
public final class TimeArguments {
    private static final double LONGEST = 1e6;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--forward",
            paramLabel = "TIME",
            defaultValue = "1",
            description = "Duration of a forward. Default: ${DEFAULT-VALUE}.")
    private double forward;

    @Option(
            names = "--backward-input",
            paramLabel = "TIME",
            defaultValue = "1",
            description = "Duration of a backward-input. Default: ${DEFAULT-VALUE}.")
    private double backwardInput;

    @Option(
            names = "--backward-weight",
            paramLabel = "TIME",
            defaultValue = "1",
            description = "Duration of a backward-weight. Default: ${DEFAULT-VALUE}.")
    private double backwardWeight;

    @Option(
            names = "--transfer",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "Duration of a point-to-point transfer. Default: ${DEFAULT-VALUE}.")
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
            throw new ParameterException(
                    command.commandLine(),
                    option + ": " + value + " is wrong (allowed: " + allowed + " and at most 1000000)");
        }
    }
}
