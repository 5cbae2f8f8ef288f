package io.hirundo.runreport.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.testkit.CtrlC;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import picocli.CommandLine;

class ReportCommandTest {
    @TempDir
    Path runs;

    @Test
    void drawsEveryCurveOfARun() throws Exception {
        Document page = page(List.of(run("first", 300, 4.0)), "first/report.html");
        assertEquals(4 + 1, page.getElementsByTagName("figure").getLength(), "four charts and a sample");
        // Raw and smoothed values of three noisy series, the learning rate, and the validation.
        assertEquals(8, curves(page));
        assertTrue(text(page).contains("step 200: 3.1"), "validation values have tooltips");
        assertTrue(text(page).contains("checkpoints/step-00000100"));
        assertTrue(text(page).contains("precision: fp32 to bf16"));
        assertTrue(text(page).contains("weights 33.2 MB"));
        assertTrue(text(page).contains("\"vocabSize\" : 4096"));
        assertTrue(text(page).contains("Once upon a time there was <b> a model"));
    }

    @Test
    void overlaysSeveralRuns() throws Exception {
        Document page = page(List.of(run("one", 30, 4.0), run("two", 60, 5.0)), "report.html");
        assertEquals(4 + 2, page.getElementsByTagName("figure").getLength(), "four charts, a sample of each run");
        // Short runs are not smoothed: four series and a validation of each.
        assertEquals(2 * 4 + 2, curves(page));
    }

    @Test
    void pageNeedsNoNetwork() throws Exception {
        page(List.of(run("first", 10, 4.0)), "first/report.html");
        String html = Files.readString(runs.resolve("first/report.html"));
        assertFalse(
                html.contains("http:") || html.contains("https:") || html.contains("src=") || html.contains("@import"),
                html);
    }

    @Test
    void escapesWhatFilesSay() throws Exception {
        Path run = run("<script>alert(1)<", 10, 4.0);
        page(List.of(run), "<script>alert(1)</report.html");
        assertFalse(Files.readString(run.resolve("report.html")).contains("<script"));
    }

    @Test
    void leavesAGapWhereTheLossIsNaN() throws Exception {
        Path run = run("diverged", 0, 4.0);
        Files.writeString(
                run.resolve("metrics.jsonl"),
                step(1, "4.0") + step(2, "3.9") + step(3, "null") + step(4, "3.7") + step(5, "3.6"));
        Document page = page(List.of(run), "diverged/report.html");
        NodeList paths = page.getElementsByTagName("path");
        String loss = paths.item(0).getAttributes().getNamedItem("d").getNodeValue();
        assertEquals(2, loss.chars().filter(c -> c == 'M').count(), loss);
    }

    @Test
    void countsLinesThatCannotBeRead() throws Exception {
        Path run = run("killed", 0, 4.0);
        Files.writeString(run.resolve("metrics.jsonl"), step(1, "4.0") + "{\"step\":2,\"lo");
        Document page = page(List.of(run), "killed/report.html");
        assertTrue(text(page).contains("killed: unreadable lines of metrics.jsonl, which are skipped: 1"), text(page));
    }

    @Test
    void runWithoutStepsHasAPage() throws Exception {
        Path run = run("empty", 0, 4.0);
        Files.writeString(run.resolve("metrics.jsonl"), "");
        assertTrue(text(page(List.of(run), "empty/report.html")).contains("No values."));
    }

    @Test
    void rejectsAFolderThatIsNotARun() throws IOException {
        assertThrows(
                ConfigurationException.class, () -> call(runs.resolve("none").toString()));
        Path run = Files.createDirectory(runs.resolve("bare"));
        Files.writeString(run.resolve("config.json"), "{}");
        assertThrows(DataException.class, () -> call(run.toString()));
        Files.createDirectory(run.resolve("metrics.jsonl"));
        assertThrows(DataException.class, () -> call(run.toString()));
    }

    @Test
    void toleratesALineCutWithinACharacter() throws Exception {
        Path run = run("cut", 0, 4.0);
        Files.write(
                run.resolve("metrics.jsonl"),
                (step(1, "4.0") + "{\"sample\":\"\u65e5").getBytes(StandardCharsets.UTF_8));
        byte[] bytes = Files.readAllBytes(run.resolve("metrics.jsonl"));
        Files.write(run.resolve("metrics.jsonl"), Arrays.copyOf(bytes, bytes.length - 1));
        assertTrue(text(page(List.of(run), "cut/report.html"))
                .contains("cut: unreadable lines of metrics.jsonl, which are skipped: 1"));
    }

    @Test
    void neverWritesThroughALink() throws Exception {
        Path run = run("planted", 3, 4.0);
        Path victim = Files.writeString(runs.resolve("victim"), "precious");
        Files.createSymbolicLink(run.resolve("report.html.part"), victim);
        page(List.of(run), "planted/report.html");
        assertEquals("precious", Files.readString(victim));
        assertFalse(Files.exists(run.resolve("report.html.part"), LinkOption.NOFOLLOW_LINKS));
    }

    /** A page replaces the file of its name: here, the measurements of the run. */
    @Test
    void rejectsANameThatIsNotThatOfAPage() throws IOException {
        Path run = run("first", 3, 4.0);
        String metrics = Files.readString(run.resolve("metrics.jsonl"));
        assertThrows(
                ConfigurationException.class,
                () -> call(run.toString(), "--out", run.resolve("metrics.jsonl").toString()));
        assertEquals(metrics, Files.readString(run.resolve("metrics.jsonl")));
    }

    /** The shorter run has the first steps of the longer one. */
    @Test
    void equalStepsOfTwoRunsHaveEqualCurves() throws Exception {
        Document page = page(List.of(run("short", 150, 4.0), run("long", 1500, 4.0)), "report.html");
        // The loss of each run: all values, then the smoothed ones.
        assertEquals(firstHeight(page, 1), firstHeight(page, 3), 0.5, "pixels");
    }

    private static double firstHeight(Document page, int curve) {
        String path = page.getElementsByTagName("path")
                .item(curve)
                .getAttributes()
                .getNamedItem("d")
                .getNodeValue();
        return Double.parseDouble(path.substring(1, path.indexOf('L')).split(" ")[1]);
    }

    @Test
    void rejectsAFolderInPlaceOfThePage() throws IOException {
        Path run = run("first", 3, 4.0);
        assertThrows(StorageException.class, () -> call(run.toString(), "--out", runs.toString()));
    }

    private Path run(String name, int steps, double loss) throws IOException {
        Path run = Files.createDirectory(runs.resolve(name));
        Files.writeString(run.resolve("config.json"), "{\"model\": {\"vocabSize\": 4096}}");
        var lines = new StringBuilder();
        for (int step = 1; step <= steps; step++) {
            lines.append(step(step, String.valueOf(loss / Math.sqrt(step) + 1)));
            if (step % 30 == 0 && step <= 60 || step == 200) {
                lines.append(String.format(
                        Locale.ROOT, "{\"evaluation\":\"validation\",\"step\":%d,\"loss\":3.1,\"tokens\":64}\n", step));
            }
            if (step == 100) {
                lines.append(
                        "{\"checkpoint\":\"checkpoints/step-00000100\",\"step\":100,\"bytes\":99600000,\"saveNanos\":210000000}\n");
                lines.append(
                        "{\"changed\":[\"precision: fp32 to bf16\"],\"step\":100,\"reason\":\"attach\",\"parity\":\"\",\"pauseNanos\":5}\n");
            }
        }
        lines.append("{\"sample\":\" there was <b> a model\",\"prompt\":\"Once upon a time\",\"step\":10}\n");
        Files.writeString(run.resolve("metrics.jsonl"), lines);
        return run;
    }

    private static String step(int step, String loss) {
        return String.format(
                Locale.ROOT,
                "{\"step\":%d,\"loss\":%s,\"gradNorm\":%f,\"learningRate\":%f,\"tokens\":2048,\"tokensPerSecond\":%f,\"modelTflops\":0.1,"
                        + "\"stepNanos\":310000000,\"liveBytes\":{\"weights\":33200000},\"peakBytes\":{\"weights\":33200000,\"workspace\":12000000}}%n",
                step,
                loss,
                1 + 1.0 / step,
                1e-3 * step,
                6_600 + 100 * Math.sin(step));
    }

    private Document page(List<Path> folders, String expected) throws Exception {
        call(folders.stream().map(Path::toString).toArray(String[]::new));
        // The page is well-formed XML, too: nothing in it is left unescaped or unclosed.
        String html = Files.readString(runs.resolve(expected)).replace("<!DOCTYPE html>", "");
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(html)));
    }

    private static void call(String... arguments) {
        var failure = new ArrayList<Exception>();
        var line = new CommandLine(new ReportCommand(new CtrlC())).setExecutionExceptionHandler((exception, _, _) -> {
            failure.add(exception);
            return 1;
        });
        int code = line.execute(arguments);
        if (!failure.isEmpty()) {
            throw (RuntimeException) failure.getFirst();
        }
        assertEquals(0, code);
    }

    private static String text(Document page) {
        return page.getDocumentElement().getTextContent();
    }

    private static int curves(Document page) {
        return page.getElementsByTagName("path").getLength();
    }
}
