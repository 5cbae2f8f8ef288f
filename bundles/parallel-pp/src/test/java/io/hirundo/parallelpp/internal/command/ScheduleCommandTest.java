package io.hirundo.parallelpp.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.strategy.NoOptions;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.InputSource;
import picocli.CommandLine.ParameterException;

class ScheduleCommandTest {
    @TempDir
    private Path folder;

    private final Bench bench = new Bench();

    @Test
    void printsATimelineWithItsFigures() {
        assertEquals(ExitCode.OK, bench.run("--pp", "2", "--microbatches", "3", "--kind", "zb-h1"));
        assertEquals("""
        zb-h1: 2 ranks, 3 microbatches

                0              5
        rank 0  F0 F1    B0 W0 F2 B1 W1 B2 W2
        rank 1     F0 B0 F1 B1 W0 F2 B2 W1 W2

        F forward, B backward for the input, W for the weights, of a microbatch
        Time    F 1, B 1, W 1 for each stage, transfer 0
        Bubble  10.0% of all ranks' time; step 11.1% longer than without a bubble (10)
        Inside  a rank waits 1 at most between its first action and its last

                starts    ends    busy    idle  peak live activations
        rank 0       0      10       9       1  2
        rank 1       1      10       9       1  2
        To draw a picture, add: --svg schedule-zb-h1.svg
        """, bench.out);
    }

    @Test
    void distinguishesChunks() {
        bench.run("--pp", "2", "--microbatches", "3", "--kind", "zb-v");
        assertTrue(bench.out.contains("rank 1     F0 f0 F1 f1 b0 w0 F2 B0 W0 f2 b1 w1 B1 b2 B2 W1 w2 W2"), bench.out);
        assertTrue(bench.out.contains("no rank waits"), bench.out);
        assertTrue(bench.out.contains("rank 1       1      19      18       1  4; 2\n"), bench.out);
        bench.run("--pp", "1", "--microbatches", "1", "--kind", "interleaved", "--chunks", "3");
        assertTrue(bench.out.contains("rank 0  F0   F0.1 F0.2 B0.2 W0.2 B0.1 W0.1 B0   W0\n"), bench.out);
    }

    @Test
    void fits80Columns() {
        bench.run("--pp", "12", "--microbatches", "24", "--kind", "zb-v", "--backward-input", "1.123");
        assertTrue(bench.out.lines().allMatch(line -> line.length() <= 80), bench.out);
    }

    @Test
    void drawsLongActionsWider() {
        bench.run(
                "--pp",
                "2",
                "--microbatches",
                "1",
                "--forward",
                "1",
                "--backward-input",
                "2",
                "--backward-weight",
                "1.5",
                "--transfer",
                "0.5");
        assertTrue(bench.out.contains("rank 0  F0-                       B0----- W0---\n"), bench.out);
        assertTrue(bench.out.contains("rank 1        F0- B0----- W0---\n"), bench.out);
        assertTrue(bench.out.contains("without a bubble (10)"), bench.out);
    }

    @Test
    void wrapsALongTimeline() {
        bench.run("--pp", "2", "--microbatches", "12", "--columns", "40");
        var rows =
                bench.out.lines().filter(line -> line.matches("rank .*[FBW].*")).toList();
        assertTrue(rows.stream().allMatch(line -> line.length() <= 40), bench.out);
        assertTrue(rows.size() > 6, bench.out);
        for (int microbatch = 0; microbatch < 12; microbatch++) {
            assertEquals(2, bench.out.split("F" + microbatch + "\\b", -1).length - 1, bench.out);
        }
    }

    @Test
    void usesColorsOnTerminalsOnly() {
        bench.run("--pp", "1", "--microbatches", "1");
        assertFalse(bench.out.contains("\u001b"), bench.out);
        System.setProperty("hirundo.terminal", "true");
        try {
            bench.run("--pp", "1", "--microbatches", "1");
            assertTrue(bench.out.contains("rank 0  \u001b[34mF0 \u001b[33mB0 \u001b[32mW0 \u001b[0m"), bench.out);
        } finally {
            System.clearProperty("hirundo.terminal");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zb-v", "zb-h1", "interleaved", "gpipe", "1f1b"})
    void drawsAWellFormedCompleteSvg(String kind) throws Exception {
        Path file = folder.resolve("it.svg");
        bench.run("--pp", "4", "--microbatches", "12", "--kind", kind, "--svg", file.toString());
        assertTrue(bench.out.endsWith("Written: " + file + "\n"), bench.out);
        var root = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
        assertEquals("svg", root.getTagName());
        int chunks = kind.equals("zb-v") || kind.equals("interleaved") ? 2 : 1;
        assertEquals(4 * 12 * 3 * chunks, root.getElementsByTagName("g").getLength(), "a cell for each action");
    }

    @Test
    void escapesNamesOfForeignSchedules() throws Exception {
        var timeline = PipelinePlan.of(new OneForwardOneBackwardFactory().create(new NoOptions()), 2, 2)
                .timeline(ActionTimes.EQUAL);
        String document = new SvgDrawing(timeline, 1).document("a<b> & \"c\"", "<");
        var root = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(document)))
                .getDocumentElement();
        assertEquals("a<b> & \"c\"", root.getElementsByTagName("title").item(0).getTextContent());
    }

    @Test
    void writesAndDrawsATable() throws IOException {
        Path file = folder.resolve("mine.csv");
        bench.run("--pp", "2", "--microbatches", "4", "--kind", "zb-v", "--csv", file.toString());
        String drawn = bench.out;
        assertTrue(Files.readString(file).startsWith("# placement: v, fuseBackward: false\nF0,F1,"));
        bench.run(
                "--pp",
                "2",
                "--microbatches",
                "4",
                "--kind",
                "csv",
                "--option",
                "file=" + file,
                "--option",
                "placement=v",
                "--option",
                "fuseBackward=false");
        assertEquals(
                drawn.lines().filter(line -> line.startsWith("rank")).toList(),
                bench.out.lines().filter(line -> line.startsWith("rank")).toList());
    }

    @Test
    void rejectsInvalidArguments() {
        var chunks = assertThrows(
                ConfigurationException.class,
                () -> bench.run("--pp", "2", "--microbatches", "4", "--kind", "zb-v", "--chunks", "3"));
        assertEquals("--chunks: 3 is wrong (allowed for schedule zb-v: 2)", chunks.getMessage());
        var few = assertThrows(
                ConfigurationException.class,
                () -> bench.run("--pp", "4", "--microbatches", "2", "--kind", "interleaved"));
        assertTrue(few.getMessage().contains("too few"), few.getMessage());
        assertThrows(ParameterException.class, () -> bench.run("--pp", "0", "--microbatches", "4"));
        assertThrows(ParameterException.class, () -> bench.run("--pp", "2"));
        var time = assertThrows(
                ParameterException.class,
                () -> bench.run("--pp", "2", "--microbatches", "4", "--backward-weight", "0"));
        assertEquals("--backward-weight: 0.0 is wrong (allowed: above 0 and at most 1000000)", time.getMessage());
        assertThrows(
                ParameterException.class, () -> bench.run("--pp", "2", "--microbatches", "4", "--transfer", "NaN"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--svg", "--csv"})
    void rejectsAFileWithoutAFolderBeforeItPrints(String option) {
        Path file = folder.resolve("no").resolve("such.file");
        var failure = assertThrows(
                StorageException.class, () -> bench.run("--pp", "2", "--microbatches", "4", option, file.toString()));
        assertEquals(
                "cannot write " + file + ": there is no folder for it; make " + file.getParent(), failure.getMessage());
        assertEquals("", bench.out);
    }
}
