package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.ExitCode;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Parameters;

/** Reads checkpoints to their last byte. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=checkpoint verify")
@picocli.CommandLine.Command(
        name = "verify",
        description = {
            "Reads every byte of the tensors of a checkpoint, or of all checkpoints of a run, and compares checksums. Names the file and "
                    + "the tensor of whatever is damaged, and ends with exit code 74 then."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo checkpoint verify runs/first",
            "  hirundo checkpoint verify runs/first/checkpoints/step-00000500 && rsync -a runs/first archive:"
        })
public final class VerifyCommand implements Command {
    private final Interruption interruption;

    @Parameters(
            paramLabel = NamedCheckpoints.LABEL,
            description = "Folder of a run, of its checkpoints, or of one of them.")
    private Path path;

    @Activate
    public VerifyCommand(@Reference Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        var named = NamedCheckpoints.someAt(path);
        var damaged = new ArrayList<String>();
        var firstProblem = new ArrayList<String>();
        try {
            for (CheckpointFolder found : named.found()) {
                List<String> problems = found.isWhole()
                        ? read(found.whole())
                        : List.of(found.problem().getMessage());
                problems.forEach(problem -> System.out.println(found.name() + "  DAMAGED: " + problem));
                if (!problems.isEmpty()) {
                    damaged.add(found.name().toString());
                    problems.stream()
                            .limit(1)
                            .filter(_ -> firstProblem.isEmpty())
                            .forEach(firstProblem::add);
                }
            }
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        }
        if (!damaged.isEmpty()) {
            throw new CheckpointException(damaged.size() + " of "
                    + named.found().size() + " in " + named.store().directory() + " cannot be loaded: "
                    + String.join(", ", damaged) + ", the first because " + firstProblem.getFirst()
                    + "; resume from another checkpoint, or save the step again");
        }
        return ExitCode.OK;
    }

    private List<String> read(SavedCheckpoint checkpoint) {
        var verification = new Verification(checkpoint);
        List<String> problems = verification.problems(interruption);
        if (problems.isEmpty()) {
            System.out.println(checkpoint.name() + "  good, " + Quantity.bytes(verification.bytes()) + " read");
        }
        return problems;
    }
}
