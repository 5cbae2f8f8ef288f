package io.hirundo.precisionreport.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.train.RunInspector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A report of made-up layers, of which it is known what each strategy does to them. */
class PrecisionReportCommandTest {
    private static final int TOKENS = 128;
    private static final int WIDTH = 256;

    /** One channel of a token is so much larger that one scale leaves nothing of the others. */
    private static final double OUTLIER = 1e6;

    @TempDir
    private Path folder;

    /** Two layers, the second of which has the outlier in its last microbatch, and the first in none; backward, the second comes first. */
    private record Inspector(Path run) implements RunInspector {
        @Override
        public void inspect(Path asked, List<String> assignments, int microbatches, Visitor visitor) {
            assertEquals(run, asked);
            assertEquals(List.of("precision=bf16"), assignments);
            visitor.begin(new Inspected(7, Choice.of("bf16"), new ModelSpec(1, 1, 1, List.of())));
            try {
                show(microbatches, visitor);
            } finally {
                visitor.end();
            }
        }

        private static void show(int microbatches, Visitor visitor) {
            ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
            try (Bench bench = Bench.open(cpu)) {
                for (int microbatch = 0; microbatch < microbatches; microbatch++) {
                    boolean last = microbatch == microbatches - 1;
                    visitor.operands(microbatch, layer(bench, "layers.1.up", last));
                    visitor.operands(microbatch, layer(bench, "layers.0.up", false));
                }
                assertEquals(Map.of(), bench.heldByOthers());
            }
        }

        private static LayerOperands layer(Bench bench, String name, boolean outlier) {
            return layer(bench, name, WIDTH, outlier);
        }

        static LayerOperands layer(Bench bench, String name, int width, boolean outlier) {
            LongToDoubleFunction x = i -> normal(1, i) * (outlier && i == 5 * width + 17 ? OUTLIER : 1);
            Tensor wNK = bench.tensor(DType.FP32, i -> 0.02 * normal(2, i), width, width);
            Tensor xTK = bench.tensor(DType.BF16, x, TOKENS, width);
            Tensor dyTN = bench.tensor(DType.BF16, i -> 1e-3 * normal(3, i), TOKENS, width);
            return new LayerOperands(
                    new LinearShape(name, width, width), bench.device(), bench.queue(), wNK, xTK, dyTN);
        }

        private static double normal(long seed, long i) {
            return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + i).nextGaussian();
        }
    }

    private static Map<String, Figures> byName(LayerReport layer) {
        return layer.strategies().stream().collect(Collectors.toMap(Figures::strategy, figures -> figures));
    }

    @Test
    void comparesEveryStrategyOnTheSameOperands() {
        var comparison = new StrategyComparison(RealStrategies.of(), 2);
        new Inspector(folder).inspect(folder, List.of("precision=bf16"), 2, comparison);

        assertEquals(
                List.of("layers.0.up", "layers.1.up"),
                comparison.layers().stream().map(layer -> layer.shape().name()).toList());
        assertEquals(Map.of("fp64", "its parameters are FP64"), comparison.leftOut());
        var calm = byName(comparison.layers().getFirst());
        var wild = byName(comparison.layers().getLast());
        assertEquals(
                List.of("bf16", "fp32", "fp8-blockwise", "fp8-current", "fp8-delayed"),
                calm.keySet().stream().sorted().toList());
        assertEquals(0, wild.get("fp32").errors().output().norm(), 1e-6);
        assertTrue(calm.get("bf16").rounding().isEmpty());
        for (String fp8 : List.of("fp8-blockwise", "fp8-current", "fp8-delayed")) {
            assertEquals(0.038, calm.get(fp8).errors().output().typical(), 0.01, fp8);
            assertEquals(3, calm.get(fp8).rounding().size());
        }
        assertEquals(0.038, wild.get("fp8-blockwise").errors().output().typical(), 0.01);
        assertTrue(wild.get("fp8-current").errors().output().typical() > 0.5, "other rows are lost with one scale");
        assertTrue(wild.get("fp8-current").errors().output().norm() < 0.1, "which the large row hides");
        assertTrue(wild.get("fp8-current").rounding().get(Operand.INPUT).vanishedShare() > 0.5);
        assertEquals(0, wild.get("fp8-blockwise").rounding().get(Operand.INPUT).vanishedShare(), 0.01);
        // It has not seen the outlier, cuts it off, and leaves the others.
        assertEquals(0.038, wild.get("fp8-delayed").errors().output().typical(), 0.01);
        assertTrue(wild.get("fp8-delayed").rounding().get(Operand.INPUT).error() > 0.9);
    }

    @Test
    void writesASelfContainedPage() throws Exception {
        var printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            var command = new CommandLine(new PrecisionReportCommand(
                    RealStrategies.of(), new Inspector(folder.toAbsolutePath().normalize()), new CtrlC()));
            assertEquals(0, command.execute(folder.toString(), "--set", "precision=bf16", "--microbatches", "1"));
        } finally {
            System.setOut(before);
        }
        Path page = folder.resolve("precision-report").resolve("report.html");
        String html = Files.readString(page);
        var parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        var document = parser.parse(new ByteArrayInputStream(html.getBytes(StandardCharsets.UTF_8)));
        assertEquals(2 * 3, document.getElementsByTagName("svg").getLength());
        assertEquals(1 + 2 * 2, document.getElementsByTagName("table").getLength());
        assertFalse(html.contains("http"), "nothing is fetched");
        assertTrue(html.contains("layers.1.up") && html.contains("Not compared: fp64"), html);
        String console = printed.toString(StandardCharsets.UTF_8);
        assertTrue(console.contains("fp8-blockwise") && console.contains(page.toString()), console);
    }

    /** A plugin's may need an option, round one operand alone, or cannot compute all layers: others are compared all the same. */
    @Test
    void reportsStrategiesThatCannotBeCompared() {
        var registry = new RealStrategies(Map.of("fp64", new Fp64Factory())).with("bf16", "needy", "weights");
        var comparison = new StrategyComparison(registry, 1);
        new Inspector(folder).inspect(folder, List.of("precision=bf16"), 1, comparison);
        assertEquals(
                Map.of(
                        "fp64",
                        "its parameters are FP64",
                        "needy",
                        "precision.options.table: is required",
                        "weights",
                        "layers.0.up: it has enough"),
                comparison.leftOut());
        var layers =
                Summary.of(comparison.layers()).stream().collect(Collectors.toMap(Summary::strategy, Summary::layers));
        assertEquals(1, layers.get("weights"), "of the two");
        assertEquals(2, layers.get("bf16"));

        String html = ReportPage.of(folder, comparison);
        String none = "<td></td><td></td><td></td>";
        assertTrue(
                html.contains("<tr><td>weights</td>" + none + none + "<td>0.13</td><td>0</td><td>0.5000</td></tr>"),
                html);
        assertTrue(html.contains("<tr><td>weights</td><td>1</td><td>0.0000</td>"), html);
    }

    /** All of one layer's width, and none that 8 bits suit: figures of BF16 would be shown under other names. */
    @Test
    void reportsAStrategyWithoutFp8Layers() {
        ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
        var comparison = new StrategyComparison(RealStrategies.of(), 1);
        try (Bench bench = Bench.open(cpu)) {
            comparison.begin(new RunInspector.Inspected(7, Choice.of("bf16"), new ModelSpec(1, 1, 1, List.of())));
            comparison.operands(0, Inspector.layer(bench, "layers.0.up", 24, false));
            comparison.end();
        }
        assertEquals(
                List.of("bf16", "fp32"),
                Summary.of(comparison.layers()).stream()
                        .map(Summary::strategy)
                        .sorted()
                        .toList());
        String reason = "it computes every layer of this model in bf16 (24 outputs are no multiple of 16)";
        for (String fp8 : List.of("fp8-blockwise", "fp8-current", "fp8-delayed")) {
            assertEquals(reason, comparison.leftOut().get(fp8));
        }
        assertEquals(
                List.of("fp64", "fp8-blockwise", "fp8-current", "fp8-delayed"),
                List.copyOf(comparison.leftOut().keySet()));
        assertTrue(ReportPage.of(folder, comparison).contains("Not compared: fp8-delayed (" + reason + ")"));
    }

    @Test
    void rejectsAnUnwritablePageBeforeTheWork() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        Path taken = Files.createDirectories(folder.resolve("taken").resolve("report.html"))
                .getParent();
        RunInspector never = (run, assignments, microbatches, visitor) -> fail("asked for its operands");
        for (Path out : List.of(file, file.resolve("below"), taken)) {
            var failures = new ArrayList<Exception>();
            var command = new CommandLine(new PrecisionReportCommand(RealStrategies.of(), never, new CtrlC()));
            command.setExecutionExceptionHandler((failure, line, parsed) -> failures.add(failure) ? 7 : 0);
            assertEquals(7, command.execute(folder.toString(), "--out", out.toString()));
            assertInstanceOf(StorageException.class, failures.getFirst());
            assertTrue(failures.getFirst().getMessage().startsWith("--out: cannot write "), failures::toString);
            assertTrue(
                    failures.getFirst().getMessage().endsWith("; remove it or choose another path"),
                    failures::toString);
        }
    }

    /** Who names no folder for the page has not named the wrong one. */
    @Test
    void rejectsAFolderThatIsNotARun() throws IOException {
        Path file = Files.writeString(folder.resolve("config.json"), "{}");
        RunInspector rejecting = (run, assignments, microbatches, visitor) -> {
            throw new ConfigurationException(run + " is not the folder of a run");
        };
        var failures = new ArrayList<Exception>();
        var command = new CommandLine(new PrecisionReportCommand(RealStrategies.of(), rejecting, new CtrlC()));
        command.setExecutionExceptionHandler((failure, line, parsed) -> failures.add(failure) ? 7 : 0);
        assertEquals(7, command.execute(file.toString()));
        assertEquals(file + " is not the folder of a run", failures.getFirst().getMessage());
    }

    /** What is remembered of a microbatch goes before the device does, also where there is none after it. */
    @Test
    void releasesEverythingBeforeTheDeviceCloses() {
        ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
        try (Bench bench = Bench.open(cpu)) {
            var comparison = new StrategyComparison(RealStrategies.of(), 2);
            comparison.begin(new RunInspector.Inspected(7, Choice.of("bf16"), new ModelSpec(1, 1, 1, List.of())));
            comparison.operands(0, Inspector.layer(bench, "layers.0.up", false));
            assertFalse(bench.heldByOthers().isEmpty(), "fp8-delayed remembers");
            comparison.end();
            assertEquals(Map.of(), bench.heldByOthers());
        }
    }

    @Test
    void countsExponents() {
        var histogram =
                ExponentHistogram.of(new float[] {0, 1, -1.5f, 0.25f, Float.NaN, Float.NEGATIVE_INFINITY, 1e-45f, 3});
        assertEquals(Map.of(0, 2L, -2, 1L, -149, 1L, 1, 1L), histogram.counts());
        assertEquals(1, histogram.zeros());
        assertEquals(3, histogram.largest());
        assertEquals(0.25, histogram.share(0));
        assertTrue(HistogramSvg.draw("x", ExponentHistogram.of(new float[3]))
                .contains("every element is zero or not finite"));
    }
}
