package io.hirundo.monitor.internal.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.event.CheckpointEvent;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingListener;
import io.hirundo.monitor.internal.Events;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
    private static final Path RUN = Path.of("runs", "quick");
    private static final String START = "quick: 8.12M parameters, steps 1 to 100 of 2.05k tokens, on cpu (a processor)";
    private static final String AMOUNTS =
            "  205k tokens in total, one rank; page with curves: hirundo report runs/quick";

    private final Screen screen = new Screen();
    private long nanos;

    private TrainingListener terminal(long everySteps) {
        return new TerminalProgress(everySteps, screen::stream, true, () -> nanos);
    }

    private TrainingListener plain(long everySteps) {
        return new PlainProgress(everySteps, screen::stream, () -> nanos);
    }

    private void steps(TrainingListener listener, long first, long last, long nanosEach) {
        for (long step = first; step <= last; step++) {
            nanos += nanosEach;
            listener.on(Events.step(step, 5 - step / 100.0));
        }
    }

    private static String line(long step, String loss, String left) {
        return "step " + " ".repeat(3 - Long.toString(step).length()) + step + "/100  loss " + loss + "  lr 3.0e-4  "
                + (left.isEmpty() ? "" : left + " left  ") + "4.10k tokens/s  grad norm 0.813  0.200 TFLOP/s  97.0 MiB";
    }

    @Test
    void showsOneLiveLineOnATerminal() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 3, 500_000_000);
        assertEquals(List.of(START, AMOUNTS, line(3, "4.9700", "")), screen.rows());
        steps(listener, 4, 60, 500_000_000);
        assertEquals(List.of(START, AMOUNTS, line(60, "4.4000", "20s")), screen.rows());
    }

    /** Also where its figures are long. */
    @ParameterizedTest
    @CsvSource({"3e-4, 3.0e-4", "0, 0", "1.25e-10, 1.3e-10", "1, 1.0e0", "9.99e-5, 1.0e-4", "0.05, 5.0e-2", "12, 1.2e1"
    })
    void showsLearningRateTimeLeftAndThroughputIn80Columns(double rate, String shown) {
        var listener = plain(1);
        listener.on(Events.started(RUN, 100_000, 200_000));
        for (long step = 100_000; step < 100_006; step++) {
            nanos += 500_000_000;
            listener.on(Events.step(step, 12.3456, rate));
        }
        String line = screen.raw().lines().toList().getLast();
        String first80 = line.substring(0, 80);
        assertTrue(
                first80.startsWith("step 100005/200000  loss 12.3456  lr " + shown + "  13h 53m left  4.10k tokens/s"),
                line);
    }

    @Test
    void showsSeveralStagesAsATable() {
        List<String> rows = List.of(
                "quick: 8.12M parameters, steps 1 to 100 of 2.05k tokens, on 12 x cpu (a processor), tensor 2 x pipeline 3 x data 2",
                "  205k tokens in total, 12 ranks; page with curves: hirundo report runs/quick",
                "  pipeline 0  ranks 0-1, 6-7    model.embed_tokens to model.layers.1",
                "  pipeline 1  ranks 2-3, 8-9    model.layers.2 to model.layers.4",
                "  pipeline 2  ranks 4-5, 10-11  model.layers.5 to lm_head");
        plain(0).on(Events.startedInStages(RUN));
        assertEquals(rows, screen.rows().subList(0, rows.size()));
        terminal(0).on(Events.startedInStages(RUN));
        assertEquals(rows, screen.rows().subList(rows.size(), 2 * rows.size()));
    }

    @Test
    void reportsARunThatWasComplete() {
        plain(0).on(Events.started(RUN, 101, 100));
        assertEquals(
                "quick: 8.12M parameters, all 100 steps are done already (training.steps), on cpu (a processor)",
                screen.rows().getFirst());
    }

    @Test
    void showsTheGemmPrecisionSummaryAtTheStart() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        listener.on(new TrainingEvent.ProductsListed(
                List.of("GEMMs in fp8: model.even", "GEMMs in bf16 (odd): model.odd")));
        assertEquals(
                List.of(START, AMOUNTS, "  GEMMs in fp8: model.even", "  GEMMs in bf16 (odd): model.odd"),
                screen.rows().subList(0, 4));
    }

    @Test
    void showsTheBeginningOfASampleInOneLine() {
        var listener = plain(0);
        listener.on(new TrainingEvent.SampleWritten(0, "Once\nupon", " a\n\n  time,\u001b[2J " + "x".repeat(200)));
        assertEquals(
                "step 0/0  sample  Once upon a time,\\u001b[2J " + "x".repeat(100 - 13) + "...",
                screen.raw().strip());
    }

    @Test
    void drawsAtMostTenTimesASecond() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 1000));
        steps(listener, 1, 1000, 1_000_000);
        long draws = screen.raw().split("loss", -1).length - 1;
        assertEquals(10, draws);
    }

    @Test
    void permanentLinesStayAboveTheLiveLine() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 50, 500_000_000);
        listener.on(Events.evaluation(50, Math.log(20)));
        listener.on(new CheckpointEvent.CheckpointBegun(50, 300_000_000));
        listener.on(Events.checkpoint(RUN.resolve("checkpoints"), 50));
        var inMemory = new CheckpointInfo(RUN.resolve("memory"), 50, 97L << 20, true);
        listener.on(new CheckpointEvent.CheckpointSaved(inMemory, 200_000_000));
        listener.on(new CheckpointEvent.CheckpointPassedOver(50, RUN.resolve("step-60"), "it is cut off"));
        listener.on(
                new CheckpointEvent.CheckpointTakenInPart(50, RUN.resolve("step-50"), List.of("a"), List.of("b", "c")));
        listener.on(new CheckpointEvent.CheckpointCopied(50, "s3://bucket/run", 97L << 20, 2_000_000_000L));
        listener.on(new CheckpointEvent.CheckpointNotCopied(40, "s3://bucket/run", "the store says 503"));
        listener.on(new CheckpointEvent.CheckpointCopying(50, "s3://bucket/run", 10L << 20, 97L << 20));
        listener.on(new CheckpointEvent.CheckpointFetched(
                50, RUN.resolve("step-50"), "s3://bucket/run", 97L << 20, 3_000_000_000L));
        listener.on(new TrainingEvent.ModelCompared(50, RUN.resolve("model"), 1.25e-6, 0.05));
        steps(listener, 51, 51, 500_000_000);
        assertEquals(
                List.of(
                        START,
                        AMOUNTS,
                        "step  50/100  validation loss 2.9957  perplexity 20.0  over 65.5k tokens",
                        "step  50/100  checkpoint saved in 1.2s (stall 0.3s)  97.0 MiB  " + RUN.resolve("checkpoints"),
                        "step  50/100  checkpoint saved in memory in 0.2s  97.0 MiB  " + RUN.resolve("memory"),
                        "step  50/100  resumes from here: cannot load step-60: it is cut off",
                        "step  50/100  resumes from part of step-50; missing, initialized instead: a; not loaded: b, c",
                        "step  50/100  checkpoint copied in 2.0s  97.0 MiB  s3://bucket/run",
                        "step  40/100  checkpoint not copied to s3://bucket/run: the store says 503",
                        "step  50/100  checkpoint being copied, 10.0 MiB so far  97.0 MiB  s3://bucket/run",
                        "step  50/100  checkpoint fetched in 3.0s  97.0 MiB  s3://bucket/run",
                        "step  50/100  parity check passed (difference 0.00000125, allowed 0.0500)  "
                                + RUN.resolve("model"),
                        line(51, "4.4900", "25s")),
                screen.rows());
    }

    @Test
    void neverOverwritesOutputOfOthers() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 1, 500_000_000);
        screen.stream().println(" a warning of another");
        steps(listener, 2, 2, 500_000_000);
        assertEquals(
                List.of(START, AMOUNTS, line(1, "4.9900", "") + " a warning of another", line(2, "4.9800", "")),
                screen.rows());
    }

    @Test
    void summaryReplacesTheLiveLine() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 100, 500_000_000);
        listener.on(Events.evaluation(100, 4.25));
        nanos += 10_000_000_000L;
        listener.on(new RunFinished(100, false));
        List<String> rows = screen.rows();
        assertEquals(
                "done, 100 steps: training loss 4.9900 -> 4.0000, validation loss 4.2500, in 1m 00s, 4.10k tokens/s",
                rows.get(rows.size() - 2));
        assertEquals("", rows.getLast());
    }

    @Test
    void summaryOfResumedRunCountsItsOwnSteps() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 51, 100));
        steps(listener, 51, 100, 500_000_000);
        listener.on(new RunFinished(100, false));
        assertEquals(
                "done, 50 steps after step 50: training loss 4.4900 -> 4.0000, in 25s, 102k tokens at 4.10k tokens/s; in total 100 steps, 205k tokens",
                lastLine());
    }

    @Test
    void summaryOfStoppedResumedRunCountsItsOwnTokens() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 51, 100));
        steps(listener, 51, 51, 500_000_000);
        listener.on(new RunFinished(51, true));
        assertTrue(
                screen.raw()
                        .contains(
                                "stopped after step 51 of 100, as requested: training loss 4.4900 -> 4.4900, in 0.5s, 2.05k tokens at 4.10k tokens/s;"
                                        + " in total 51 steps, 104k tokens"),
                screen.raw());
    }

    @Test
    void summaryOfCompleteRunClaimsNoSteps() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 101, 100));
        nanos += 1_000_000_000;
        listener.on(new RunFinished(100, false));
        assertEquals("done, no step was left of 100, in 1.0s", lastLine());
    }

    private String lastLine() {
        List<String> rows = screen.rows();
        return rows.get(rows.size() - 2);
    }

    @Test
    void leavesAnEmptyRowForAFailure() {
        var listener = terminal(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 2, 500_000_000);
        listener.on(new RunFailed(2, new IllegalStateException("no more power")));
        assertEquals(List.of(START, AMOUNTS, ""), screen.rows());
    }

    @Test
    void printsWithoutColors() {
        var listener = new TerminalProgress(0, screen::stream, false, () -> nanos);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 2, 500_000_000);
        assertFalse(screen.raw().contains("m4."), screen.raw());
        assertTrue(screen.raw().contains("\u001b[K"), screen.raw());
    }

    @Test
    void everyStepsPrintsPermanentLinesOnATerminalToo() {
        var listener = terminal(2);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 5, 500_000_000);
        assertEquals(
                List.of(START, AMOUNTS, line(2, "4.9800", ""), line(4, "4.9600", ""), line(5, "4.9500", "48s")),
                screen.rows());
    }

    @Test
    void printsPlainLinesAboutEveryTwoSeconds() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 10, 500_000_000);
        assertEquals(
                String.join(
                        System.lineSeparator(),
                        START,
                        AMOUNTS,
                        line(1, "4.9900", ""),
                        line(5, "4.9500", "48s"),
                        line(9, "4.9100", "46s"),
                        ""),
                screen.raw());
    }

    @Test
    void printsPlainLinesEveryNStepsAndForTheLast() {
        var listener = plain(40);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 100, 500_000_000);
        listener.on(Events.evaluation(100, 4.25));
        assertEquals(
                List.of("step   1/100", "step  40/100", "step  80/100", "step 100/100", "step 100/100"),
                screen.raw().lines().skip(2).map(line -> line.substring(0, 12)).toList());
    }

    @Test
    void saysHowFarAnInterruptedRunCame() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 51, 100));
        steps(listener, 51, 60, 500_000_000);
        listener.on(new RunFinished(60, true));
        assertTrue(screen.raw().contains("steps 51 to 100"), screen.raw());
        assertTrue(
                screen.raw()
                        .contains(
                                "stopped after step 60 of 100, as requested: training loss 4.4900 -> 4.4000, in 5.0s"),
                screen.raw());
        assertTrue(screen.raw().endsWith("\nno checkpoint of steps 51 to 60\n"), screen.raw());
        assertFalse(screen.raw().contains("--resume"), "nothing was saved to resume from");
    }

    @Test
    void saysHowToResumeAnInterruptedRun() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 60, 500_000_000);
        listener.on(Events.checkpoint(RUN.resolve("checkpoints"), 60));
        listener.on(new RunFinished(60, true));
        assertTrue(
                screen.raw()
                        .endsWith("to continue from step 60, type: hirundo train " + RUN.resolve("config.json")
                                + " --resume\n"),
                screen.raw());
        assertFalse(screen.raw().contains("no training state"), screen.raw());
    }

    @Test
    void saysWhatAnInterruptedRunLosesAfterItsLastCheckpoint() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 1, 100));
        steps(listener, 1, 60, 500_000_000);
        listener.on(Events.checkpoint(RUN.resolve("checkpoints"), 40));
        listener.on(new RunFinished(60, true));
        assertTrue(
                screen.raw()
                        .contains("\nno checkpoint of steps 41 to 60\nto continue from step 40, type: hirundo train "),
                screen.raw());
    }

    @Test
    void summarizesARunWithoutSteps() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 1, 100));
        listener.on(new RunFinished(0, true));
        assertTrue(screen.raw().contains("stopped after step 0 of 100, as requested, in 0.0s"), screen.raw());
        assertFalse(screen.raw().contains("no training state"), "there is none to lose");
    }

    @Test
    void showsANaNLoss() {
        var listener = plain(0);
        listener.on(Events.started(RUN, 1, 100));
        listener.on(Events.step(1, Double.NaN));
        assertTrue(screen.raw().contains("loss NaN"), screen.raw());
    }

    @Test
    void ignoresUnknownEvents() {
        TrainingEvent unknown = new TrainingEvent() {};
        terminal(0).on(unknown);
        plain(0).on(unknown);
        assertEquals("", screen.raw());
    }

    @Test
    void rejectsInvalidOptions() {
        assertThrows(ConfigurationException.class, () -> new ConsoleFactory().create(new ConsoleOptions(-1)));
    }
}
