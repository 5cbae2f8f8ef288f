package __package__;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.command.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code hirundo __name__ RUN}. Hirundo finds it by its annotations. Prototype scope: each call gets a new object with its own options. A
 * constructor with {@code @Activate} may take services as {@code @Reference} parameters.
 */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=__name__")
@picocli.CommandLine.Command(
        name = "__name__",
        description = "Summarizes a run: steps, lowest losses, speed.",
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo __name__ runs/quickstart", "  hirundo __name__ runs/quickstart --best 10"})
public final class __Name__Command implements Command {
    @Parameters(paramLabel = "RUN", description = "Directory of a run.")
    private Path run;

    @Option(
            names = "--best",
            paramLabel = "N",
            defaultValue = "1",
            description = "Steps of lowest loss to show. Default: ${DEFAULT-VALUE}.")
    private int best;

    /** A step of the run, from its metrics. */
    private record Step(long number, double loss, double tokensPerSecond) {}

    /** Prints the result to standard output. Errors are exceptions of io.hirundo with a one-line message. */
    @Override
    public Integer call() {
        List<Step> steps = read(run.resolve("metrics.jsonl"));
        double speed = steps.stream()
                .mapToDouble(Step::tokensPerSecond)
                .sorted()
                .skip(steps.size() / 2)
                .findFirst()
                .orElseThrow();
        System.out.printf(
                Locale.ROOT,
                "%d steps, loss %.4f to %.4f, %.0f tokens/s (median)%n",
                steps.size(),
                steps.getFirst().loss(),
                steps.getLast().loss(),
                speed);
        steps.stream()
                .sorted(Comparator.comparingDouble(Step::loss))
                .limit(best)
                .forEach(step -> System.out.printf(Locale.ROOT, "  step %d: loss %.4f%n", step.number(), step.loss()));
        return ExitCode.OK;
    }

    private static List<Step> read(Path file) {
        var json = new ObjectMapper();
        List<Step> steps = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                JsonNode node = json.readTree(line);
                // Other lines report checkpoints, evaluations and swaps.
                if (node.has("stepNanos")) {
                    // NaN is written as null.
                    double loss = node.get("loss").asDouble(Double.NaN);
                    steps.add(new Step(
                            node.get("step").asLong(),
                            loss,
                            node.get("tokensPerSecond").asDouble()));
                }
            }
        } catch (IOException e) {
            throw new DataException(
                    "cannot read " + file + ": " + Reason.of(e) + "; name the directory of a run, runs/NAME", e);
        }
        if (steps.isEmpty()) {
            throw new DataException(file + " has no step yet");
        }
        return steps;
    }
}
