package io.hirundo.runreport.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.runreport.internal.history.HistoryReader;
import io.hirundo.runreport.internal.history.RunHistory;
import io.hirundo.runreport.internal.page.ReportPage;
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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a page about one run, or about several in the same charts. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=report")
@picocli.CommandLine.Command(
        name = "report",
        description = {
            "Writes one HTML page about a run: loss and validation, learning rate, gradient norm, tokens per second, memory by category, "
                    + "events, samples and configuration. The page needs no network. Several runs are drawn in the same charts. "
                    + "A run may still be running."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo report runs/first", "  hirundo report runs/first runs/second --out comparison.html"})
public final class ReportCommand implements Command {
    private static final String PAGE = "report.html";

    @Parameters(paramLabel = "RUN", arity = "1..*", description = "Folder of a run, runs/NAME.")
    private List<Path> runs;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "The page, whose name ends with .html. Default: report.html in the run's folder; of several runs, in the folder above the first.")
    private Path out;

    private final Interruption interruption;

    @Activate
    public ReportCommand(@Reference Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-report", this::report).orElse(ExitCode.INTERRUPTED);
    }

    private int report() {
        Path page = out == null ? defaultPage() : out;
        requireWritable(page);
        requirePageName(page);
        List<RunHistory> histories = runs.stream().map(HistoryReader::read).toList();
        write(page, ReportPage.of(histories));
        System.out.println(page);
        return ExitCode.OK;
    }

    private Path defaultPage() {
        Path first = runs.getFirst();
        return runs.size() == 1 ? first.resolve(PAGE) : first.resolveSibling(PAGE);
    }

    private static void requireWritable(Path page) {
        try {
            AtomicFile.requireWritable(page);
        } catch (IOException failure) {
            throw unwritable(page, failure);
        }
    }

    /** A page replaces what has its name: without this check, also the metrics or the configuration of a run. */
    private static void requirePageName(Path page) {
        if (!page.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".html")) {
            throw new ConfigurationException("--out: the name of a page ends with .html, and " + page
                    + " does not; for example " + page + ".html");
        }
    }

    /** The page appears complete or not at all: a browser may be showing the one before. */
    private static void write(Path page, String html) {
        try {
            Files.createDirectories(page.toAbsolutePath().getParent());
            AtomicFile.write(page, html.getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw unwritable(page, failure);
        }
    }

    private static StorageException unwritable(Path page, IOException failure) {
        return new StorageException("cannot write " + OutputFiles.explain(page, failure), failure);
    }
}
