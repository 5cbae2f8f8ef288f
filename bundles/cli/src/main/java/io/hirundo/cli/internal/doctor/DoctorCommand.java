package io.hirundo.cli.internal.doctor;

import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.command.Check;
import io.hirundo.command.Check.Finding;
import io.hirundo.command.Check.State;
import io.hirundo.command.Command;
import io.hirundo.lib.terminal.WrappedText;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;

/** Prints the findings of every {@link Check}. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=doctor")
@picocli.CommandLine.Command(
        name = "doctor",
        description = "Shows what this machine offers, what Hirundo uses, and why it does not use the rest.",
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo doctor", "  hirundo --profile minimal doctor"})
public final class DoctorCommand implements Command {
    private static final int TEXT_COLUMN = 21;

    private final List<Check> checks;

    @Activate
    public DoctorCommand(@Reference List<Check> checks) {
        this.checks = List.copyOf(checks);
    }

    @Override
    public Integer call() {
        return report(System.out);
    }

    /** One entry a finding; {@link ExitCode#CONFIGURATION} if anything is wrong. */
    int report(PrintStream out) {
        boolean allGood = true;
        for (Check check : checks) {
            for (Finding finding : findings(check)) {
                String line = String.format(
                        Locale.ROOT, "%-7s %-12s %s", mark(finding.state()), finding.subject(), finding.text());
                out.println(WrappedText.of(line, TEXT_COLUMN));
                allGood &= finding.state() != State.BAD;
            }
        }
        return allGood ? ExitCode.OK : ExitCode.CONFIGURATION;
    }

    /** A check that throws becomes a finding, so that the other checks can still show the cause. */
    private static List<Finding> findings(Check check) {
        try {
            return check.look();
        } catch (RuntimeException failure) {
            return List.of(new Finding(State.BAD, check.getClass().getSimpleName(), "failed: " + Reason.of(failure)));
        }
    }

    private static String mark(State state) {
        return switch (state) {
            case GOOD -> "ok";
            case ABSENT -> "absent";
            case BAD -> "WRONG";
        };
    }
}
