package io.hirundo.parallelpp.internal.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.InterleavedOptions;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.parallelpp.internal.ZeroBubbleVFactory;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvScheduleTest {
    @TempDir
    private Path folder;

    private PipelineSchedule schedule(String text, ChunkPlacement placement, boolean fuse) throws IOException {
        Path file = Files.writeString(folder.resolve("mine.csv"), text);
        return new CsvFactory().create(new CsvOptions(file.toString(), placement, fuse));
    }

    private String rejection(String text) {
        var failure = assertThrows(
                ConfigurationException.class, () -> PipelinePlan.of(schedule(text, ChunkPlacement.LOOP, true), 2, 2));
        return failure.getMessage().replace(folder.toString() + "/", "");
    }

    @Test
    void roundTripsATable() throws IOException {
        var schedules = List.of(
                new OneForwardOneBackwardFactory().create(new NoOptions()),
                new ZeroBubbleH1Factory().create(new NoOptions()),
                new ZeroBubbleVFactory().create(new NoOptions()),
                new InterleavedFactory().create(new InterleavedOptions(3, 0)));
        for (PipelineSchedule original : schedules) {
            PipelinePlan plan = PipelinePlan.of(original, 3, 12);
            String text = CsvText.of(plan, original.fusesBackward());
            boolean isV = text.startsWith("# placement: v, ");
            assertEquals(original.stage(plan.shape(), 0, plan.shape().chunks() - 1) == 5, isV, text);
            assertTrue(text.contains("fuseBackward: " + original.fusesBackward()), text);
            PipelineSchedule read =
                    schedule(text, isV ? ChunkPlacement.V : ChunkPlacement.LOOP, original.fusesBackward());
            PipelinePlan again = PipelinePlan.of(read, 3, 12);
            assertEquals(plan.shape(), again.shape());
            for (int rank = 0; rank < 3; rank++) {
                assertEquals(plan.actions(rank), again.actions(rank));
                assertEquals(
                        plan.stage(rank, plan.shape().chunks() - 1),
                        again.stage(rank, plan.shape().chunks() - 1));
            }
            assertEquals(plan.timeline(ActionTimes.EQUAL), again.timeline(ActionTimes.EQUAL));
        }
    }

    @Test
    void ignoresCommentsEmptyCellsAndSpaces() throws IOException {
        String text = "\uFEFF# mine\r\nF0, F1,,, B0 ,W0,B1,W1\r\n\r\n,F0,B0,W0,F1,B1,W1,\r\n";
        assertEquals(
                3,
                PipelinePlan.of(schedule(text, ChunkPlacement.LOOP, true), 2, 2)
                        .timeline(ActionTimes.EQUAL)
                        .spans()
                        .get(1)
                        .get(2)
                        .start());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"G1", "f0", "F", "F-1", "F1.", "F1.x", "F 1", "F0;B0", "F99999999", "W0.12345", "\"F0\""})
    void namesAnInvalidCell(String cell) {
        assertEquals(
                "schedule csv: mine.csv, row 3, column 2: '" + cell
                        + "' is not an action; allowed: F, B or W and the microbatch, then for another chunk "
                        + "than 0 a dot and the chunk: F0, W3.1",
                rejection("# mine\nF0,B0,W0\nF0," + cell + ",W0\n"));
    }

    @Test
    void namesARepeatedCell() {
        assertEquals(
                "schedule csv: mine.csv, row 1, column 4: F0 is in column 1 already; remove one of them",
                rejection("F0,B0,W0,F0\n"));
    }

    @Test
    void rejectsATableWithDeadlock() {
        assertEquals(
                "schedule csv: mine.csv, row 2: W1 is missing; a row has F, B and W of each of 2 microbatches and 1 chunk",
                rejection("F0,B0,W0,F1,B1,W1\nF0,B0,W0,F1,B1\n"));
        assertEquals(
                "schedule csv: mine.csv, row 1, column 4: B1 comes before F1, which it waits for; move it behind",
                rejection("F0,B0,W0,B1,F1,W1\nF0,B0,W0,F1,B1,W1\n"));
        assertEquals(
                "schedule csv: mine.csv: schedule: deadlock: rank 0 at B0 waits for B0 of rank 1, rank 1 at F1 waits for F1 of rank 0; change the"
                        + " order",
                rejection("F0,B0,W0,F1,B1,W1\nF1,F0,B0,W0,B1,W1\n"));
    }

    @Test
    void rejectsATableForAnotherPipeline() {
        assertEquals(
                "schedule csv: mine.csv has 1 rows, one for each rank, but there are 2 ranks in the pipeline",
                rejection("F0,B0,W0\n"));
        assertEquals(
                "schedule csv: mine.csv has 1 microbatches, but there are 2 microbatches in a step",
                rejection("F0,B0,W0\nF0,B0,W0\n"));
        assertEquals(
                "schedule csv: mine.csv has no actions; write a row for each rank", rejection("# nothing\n\n,,\n"));
    }

    @Test
    void placementVRequiresTwoChunks() {
        var failure = assertThrows(ConfigurationException.class, () -> schedule("F0,B0,W0\n", ChunkPlacement.V, true));
        assertTrue(
                failure.getMessage().startsWith("schedule csv: placement v is for 2 chunks on each rank, but "),
                failure.getMessage());
        assertTrue(failure.getMessage().endsWith(" has 1"), failure.getMessage());
    }

    @Test
    void namesAnUnreadableFile() throws IOException {
        Path missing = folder.resolve("missing.csv");
        var failure = assertThrows(ConfigurationException.class, () -> CsvTable.read(missing));
        assertEquals("schedule csv: file: there is no " + missing + "; give the path of a table", failure.getMessage());
        Path binary = Files.write(folder.resolve("binary.csv"), new byte[] {70, 48, (byte) 0xFF, (byte) 0xFE});
        failure = assertThrows(ConfigurationException.class, () -> CsvTable.read(binary));
        assertEquals(
                "schedule csv: file: " + binary + " is not UTF-8 text; save the table as UTF-8", failure.getMessage());
        failure = assertThrows(ConfigurationException.class, () -> CsvTable.read(folder));
        assertEquals(
                "schedule csv: file: " + folder + " is a folder, not a regular file; give the path of a table",
                failure.getMessage());
        assertTrue(assertThrows(ConfigurationException.class, () -> new CsvFactory().create(new CsvOptions()))
                .getMessage()
                .contains("file is missing"));
    }

    @Test
    @Timeout(60)
    void rejectsPipesDevicesAndHugeFilesBeforeReadingThem() throws Exception {
        Path pipe = folder.resolve("pipe.csv");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Path huge = Files.write(folder.resolve("huge.csv"), new byte[(4 << 20) + 1]);
        for (Path file : List.of(pipe, Path.of("/dev/zero"), huge)) {
            var failure = assertThrows(ConfigurationException.class, () -> CsvTable.read(file));
            assertTrue(failure.getMessage().startsWith("schedule csv: file: " + file + " is "), failure.getMessage());
            assertTrue(failure.getMessage().endsWith("; give the path of a table"), failure.getMessage());
        }
    }

    @Test
    void shortensLongCells() {
        String message = rejection("F0," + "x".repeat(5_000) + "\n");
        assertTrue(message.length() < 400, message);
    }

    /** The table of docs/parallelism.md. */
    @Test
    void runsTheExampleOfTheDocumentation() throws IOException {
        String page = Files.readString(Path.of("../../docs/parallelism.md"));
        String fence = "```csv\n";
        int begin = page.indexOf(fence) + fence.length();
        String table = page.substring(begin, page.indexOf("```", begin));
        PipelinePlan plan = PipelinePlan.of(schedule(table, ChunkPlacement.LOOP, true), 2, 4);
        assertEquals(12, plan.actions(0).size());
    }
}
