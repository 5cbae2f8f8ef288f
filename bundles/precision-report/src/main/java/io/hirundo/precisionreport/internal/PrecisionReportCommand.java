package io.hirundo.precisionreport.internal;

import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.train.RunInspector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares precision strategies on the operands of a run's linear layers. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=precision-report")
@picocli.CommandLine.Command(
        name = "precision-report",
        description = {
            "Compares all precision strategies on the operands of a run's linear layers. Loads the newest checkpoint on one rank, runs forward "
                    + "and backward on a few microbatches of its data, and computes the last one's GEMMs with each strategy. Writes one page, "
                    + "report.html, with errors against FP32, underflow, saturation and histograms. The run must have ended or "
                    + "been stopped; the command does not change it."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo precision-report runs/first",
            "  hirundo precision-report runs/first --out reports/first --set precision=bf16"
        })
public final class PrecisionReportCommand implements Command {
    private static final String PAGE = "report.html";

    private final StrategyRegistry registry;
    private final RunInspector inspector;
    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "Folder of a run, runs/NAME.")
    private Path run;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "Folder of the page. Default: precision-report in the run's folder.")
    private Path out;

    @Option(
            names = "--microbatches",
            paramLabel = "N",
            defaultValue = "3",
            description = {
                "Microbatches of the run's data. The last one is compared; earlier ones fill the amax history.",
                "Default: ${DEFAULT-VALUE}."
            })
    private int microbatches;

    @Option(
            names = "--set",
            paramLabel = "PATH=VALUE",
            description = "Overrides a setting of the run, for example precision=bf16. Repeatable.")
    private List<String> assignments = List.of();

    @Activate
    public PrecisionReportCommand(
            @Reference StrategyRegistry registry,
            @Reference RunInspector inspector,
            @Reference Interruption interruption) {
        this.interruption = interruption;
        this.registry = registry;
        this.inspector = inspector;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-precision-report", this::report).orElse(ExitCode.INTERRUPTED);
    }

    private int report() {
        if (microbatches < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--microbatches: " + microbatches + " is not an integer above 0");
        }
        Path folder = run.toAbsolutePath().normalize();
        Path page = (out == null ? folder.resolve("precision-report") : out).resolve(PAGE);
        // The default is in the run's folder: the inspection reports a missing run.
        if (out != null || Files.isDirectory(folder)) {
            requireWritable(page);
        }
        var comparison = new StrategyComparison(registry, microbatches);
        inspector.inspect(run, assignments, microbatches, comparison);
        write(page, ReportPage.of(folder, comparison));
        print(comparison);
        System.out.println(page);
        return ExitCode.OK;
    }

    /** Checks before the work; creates nothing, because the run may still be rejected. */
    private static void requireWritable(Path page) {
        attempt(page, () -> AtomicFile.requireWritable(page));
    }

    private static void write(Path page, String text) {
        attempt(page, () -> {
            Files.createDirectories(page.toAbsolutePath().getParent());
            AtomicFile.write(page, text.getBytes(StandardCharsets.UTF_8));
        });
    }

    /** A file operation on the page. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private static void attempt(Path page, Work work) {
        try {
            work.run();
        } catch (IOException failure) {
            throw new StorageException("--out: cannot write " + OutputFiles.explain(page, failure), failure);
        }
    }

    /** Errors of typical rows of the worst layer. */
    private static void print(StrategyComparison comparison) {
        List<Summary> summaries = Summary.of(comparison.layers());
        int width = summaries.stream()
                .mapToInt(summary -> summary.strategy().length())
                .max()
                .orElse(1);
        String header = "%-" + width + "s  %6s  %8s  %8s  %8s  %9s%n";
        System.out.printf(Locale.ROOT, header, "", "layers", "worst y", "worst dx", "worst dw", "vanished");
        for (Summary summary : summaries) {
            System.out.printf(
                    Locale.ROOT,
                    header,
                    summary.strategy(),
                    summary.layers(),
                    ReportPage.figure(summary.output()),
                    ReportPage.figure(summary.inputGradient()),
                    ReportPage.figure(summary.weightGradient()),
                    ReportPage.share(summary.vanished()));
        }
        comparison
                .leftOut()
                .forEach((name, reason) -> System.out.println("not compared: " + name + " (" + reason + ")"));
    }
}
