package io.hirundo.parallelpp.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Terminal;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.parallelpp.internal.csv.CsvText;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineTimeline;
import io.hirundo.strategy.StrategyRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Draws a schedule of any bundle and prints its cost. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=schedule")
@picocli.CommandLine.Command(
        name = "schedule",
        description = {
            "Draws a pipeline schedule: the timeline of each rank, the bubble, and the peak of live activations.",
            "F is a forward, B a backward-input, W a backward-weight; the number is the microbatch."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo schedule --pp 4 --microbatches 8 --kind zb-v --svg zb-v.svg",
            "  hirundo schedule --pp 4 --microbatches 8 --kind interleaved --chunks 3 --backward-input 1.2",
            "  hirundo schedule --pp 2 --microbatches 4 --kind zb-h1 --csv mine.csv",
            "  hirundo schedule --pp 2 --microbatches 4 --kind csv --option file=mine.csv"
        })
public final class ScheduleCommand implements Command {
    private final StrategyRegistry registry;

    @Option(
            names = "--pp",
            paramLabel = "RANKS",
            required = true,
            converter = PositiveCount.class,
            description = "Pipeline stages (ranks).")
    private int ranks;

    @Option(
            names = "--microbatches",
            paramLabel = "N",
            required = true,
            converter = PositiveCount.class,
            description = "Microbatches per step.")
    private int microbatches;

    @Mixin
    private KindArguments kind;

    @Mixin
    private TimeArguments times;

    @Option(names = "--svg", paramLabel = "FILE", description = "Also write an SVG drawing to this file.")
    private Path svg;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Also write a table for the schedule csv, for editing by hand.")
    private Path csv;

    @Option(
            names = "--columns",
            paramLabel = "N",
            converter = PositiveCount.class,
            defaultValue = "80",
            description = "Characters per line; longer timelines wrap. Default: ${DEFAULT-VALUE}.")
    private int columns;

    @Activate
    public ScheduleCommand(@Reference StrategyRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Integer call() {
        requireWritable(csv);
        requireWritable(svg);
        ActionTimes actionTimes = times.times();
        PipelineSchedule schedule = kind.schedule(registry);
        PipelinePlan plan = PipelinePlan.of(schedule, ranks, microbatches);
        PipelineTimeline timeline = plan.timeline(actionTimes);
        var report = new ScheduleReport(kind.name(), plan, timeline, actionTimes);
        PrintStream out = System.out;
        out.println(report.title());
        out.println();
        var drawing = new TextDrawing(
                timeline,
                Grid.of(actionTimes),
                plan.shape().chunks(),
                columns,
                Terminal.isThere() && Terminal.hasColor());
        drawing.lines().forEach(out::println);
        out.println();
        report.lines().forEach(out::println);
        if (csv != null) {
            write(csv, CsvText.of(plan, schedule.fusesBackward()), out);
        }
        if (svg == null) {
            out.println("To draw a picture, add: --svg schedule-" + kind.name() + ".svg");
        } else {
            write(svg, new SvgDrawing(timeline, plan.shape().chunks()).document(report.title(), report.bubble()), out);
        }
        return ExitCode.OK;
    }

    /** Checks before printing; {@code file} may be null. */
    private static void requireWritable(Path file) {
        try {
            if (file != null) {
                OutputFiles.requireFileInFolder(file);
                AtomicFile.requireWritable(file);
            }
        } catch (IOException e) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
        }
    }

    private static void write(Path file, String text, PrintStream out) {
        try {
            AtomicFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
        }
        out.println("Written: " + file);
    }
}
