package io.hirundo.optimizermuon.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.optimizer.WeightRounding;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MuonTest {
    private record Weight(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

    private static ParameterSpec spec(ParameterPart... parts) {
        return new ParameterSpec(parts[0].path(), List.of(parts), Initialization.ZEROS);
    }

    private static Weight weight(Bench bench, DType dtype, ParameterPart... parts) {
        ParameterSpec spec = spec(parts);
        // As data parallelism lends them: a vector of all elements.
        long all = spec.shape().elements();
        return new Weight(spec, bench.tensor(dtype, i -> Math.sin(i), all), bench.tensor(dtype, i -> 0, all));
    }

    /** The authors' zeropower_via_newtonschulz5, which transposes tall matrices, in plain double arithmetic. */
    private static double[][] newtonSchulz(double[][] g, int iterations) {
        boolean isTall = g.length > g[0].length;
        double[][] x = isTall ? transposed(g) : g;
        double norm = Math.sqrt(
                Arrays.stream(x).flatMapToDouble(Arrays::stream).map(v -> v * v).sum());
        x = sum(x, 1 / (norm + 1e-7), x, 0);
        for (int i = 0; i < iterations; i++) {
            double[][] a = product(x, transposed(x));
            double[][] b = sum(a, -4.7750, product(a, a), 2.0315);
            x = sum(x, 3.4445, product(b, x), 1);
        }
        return isTall ? transposed(x) : x;
    }

    private static double[][] transposed(double[][] a) {
        var t = new double[a[0].length][a.length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < a[0].length; j++) {
                t[j][i] = a[i][j];
            }
        }
        return t;
    }

    private static double[][] product(double[][] a, double[][] b) {
        var c = new double[a.length][b[0].length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < b[0].length; j++) {
                for (int k = 0; k < b.length; k++) {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        return c;
    }

    private static double[][] sum(double[][] a, double ofA, double[][] b, double ofB) {
        var c = new double[a.length][a[0].length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < a[0].length; j++) {
                c[i][j] = ofA * a[i][j] + ofB * b[i][j];
            }
        }
        return c;
    }

    private static double[][] rows(double[] elements, int first, int rows, int columns) {
        var matrix = new double[rows][];
        for (int row = 0; row < rows; row++) {
            matrix[row] = Arrays.copyOfRange(elements, first + row * columns, first + (row + 1) * columns);
        }
        return matrix;
    }

    private static double[] elements(double[][] matrix) {
        return Arrays.stream(matrix).flatMapToDouble(Arrays::stream).toArray();
    }

    /** A wide and a tall matrix, fused into one parameter. */
    @ParameterizedTest
    @CsvSource({"FP64, true, 5, 1e-12", "FP64, false, 4, 1e-12", "FP32, true, 5, 1e-4"})
    void equalsTheAuthorsUpdateOfEachPart(DType dtype, boolean nesterov, int iterations, double tolerance) {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            Weight weight = weight(
                    bench, dtype, ParameterPart.whole("q", Shape.of(3, 7)), ParameterPart.whole("k", Shape.of(11, 7)));
            double[] p = bench.read(weight.value());
            var m = new double[p.length];
            var random = new Random(5);
            Tensor half = bench.tensor(DType.FP64, i -> 0.5, 1);
            var options = new MuonOptions(
                    0.9, nesterov, iterations, 0.3, false, List.of(), 0.9, 0.95, 1e-8, WeightRounding.STOCHASTIC, 0);
            try (var run = new MuonFactory().create(options).bind(bench.device(), List.of(weight))) {
                for (int step = 1; step <= 5; step++) {
                    double[] g = random.doubles(p.length, -1, 1).toArray();
                    bench.write(weight.gradient(), i -> g[(int) i]);
                    run.step(bench.queue(), step, 0.01, half);
                    var u = new double[p.length];
                    for (int i = 0; i < p.length; i++) {
                        m[i] = 0.9 * m[i] + 0.5 * g[i];
                        u[i] = nesterov ? 0.5 * g[i] + 0.9 * m[i] : m[i];
                    }
                    double[][] wide = newtonSchulz(rows(u, 0, 3, 7), iterations);
                    double[][] tall = newtonSchulz(rows(u, 21, 11, 7), iterations);
                    double[] o = Stream.of(sum(wide, Math.sqrt(7), wide, 0), sum(tall, Math.sqrt(11), tall, 0))
                            .flatMapToDouble(part -> Arrays.stream(elements(part)))
                            .toArray();
                    for (int i = 0; i < p.length; i++) {
                        p[i] = p[i] - 0.01 * (0.2 * o[i] + 0.3 * p[i]);
                    }
                }
                assertArrayEquals(p, bench.read(weight.value()), tolerance);
                assertArrayEquals(m, bench.read(run.state().getFirst().tensor()), Math.max(tolerance, 1e-6));
            }
        }
    }

    /** What the iteration is for, without its formula: no direction is much longer or shorter than another. */
    @Test
    void updateHasSingularValuesNearOne() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            Weight weight = weight(bench, DType.FP64, ParameterPart.whole("w", Shape.of(6, 20)));
            double[] before = bench.read(weight.value());
            // Directions of very different length.
            bench.write(weight.gradient(), i -> Math.sin(i * i) * Math.pow(0.6, i / 20));
            Tensor one = bench.tensor(DType.FP64, i -> 1, 1);
            try (var run = new MuonFactory().create(new MuonOptions()).bind(bench.device(), List.of(weight))) {
                run.step(bench.queue(), 1, 1, one);
            }
            double[] after = bench.read(weight.value());
            var update = new double[after.length];
            for (int i = 0; i < update.length; i++) {
                update[i] = (0.9 * before[i] - after[i]) / (0.2 * Math.sqrt(20));
            }
            double[][] gram = product(rows(update, 0, 6, 20), transposed(rows(update, 0, 6, 20)));
            for (int row = 0; row < 6; row++) {
                // Gershgorin: each eigenvalue is near a diagonal element.
                assertTrue(
                        gram[row][row] > 0.4 && gram[row][row] < 1.5,
                        "squared length of direction " + row + ": " + gram[row][row]);
            }
        }
    }

    @Test
    void adamWUpdatesEmbeddingsHeadAndVectors() {
        var muon = new MuonFactory().create(new MuonOptions());
        var hidden = spec(ParameterPart.whole("model.layers.0.mlp.up_proj.weight", Shape.of(4, 4)));
        var vector = spec(ParameterPart.whole("model.norm.weight", Shape.of(4)));
        assertEquals(Ownership.TENSOR, muon.ownership(hidden));
        assertEquals(
                "momentum_buffer",
                muon.declaredState(hidden, DType.FP32).orElseThrow().getFirst().name());
        for (String path : List.of("model.embed_tokens.weight", "lm_head.weight")) {
            assertEquals(Ownership.ELEMENTS, muon.ownership(spec(ParameterPart.whole(path, Shape.of(4, 4)))), path);
        }
        assertEquals(Ownership.ELEMENTS, muon.ownership(vector));
        assertEquals(
                List.of("exp_avg", "exp_avg_sq"),
                muon.declaredState(vector, DType.FP32).orElseThrow().stream()
                        .map(state -> state.name())
                        .toList());
    }

    @Test
    void rejectsShardsUnlessTheyMayBeOrthogonalizedApart() {
        try (Bench bench = Bench.open(new ScalarBackend())) {
            var shard = new ParameterPart("w", Shape.of(8, 4), List.of(4L, 0L), Shape.of(4, 4));
            Weight weight = weight(bench, DType.FP32, shard);
            var muon = new MuonFactory().create(new MuonOptions());
            String message = assertThrows(
                            ConfigurationException.class, () -> muon.bind(bench.device(), List.of(weight)))
                    .getMessage();
            assertTrue(
                    message.startsWith(
                            "optimizer.options.orthogonalizeShards: false is wrong where mesh.tensor splits w [8, 4] into shards of [4, 4]"),
                    message);
            assertTrue(message.endsWith("optimizer.options.orthogonalizeShards=true"), message);
            var blockwise =
                    new MuonOptions(0.95, true, 5, 0.1, true, List.of(), 0.9, 0.95, 1e-8, WeightRounding.STOCHASTIC, 0);
            new MuonFactory()
                    .create(blockwise)
                    .bind(bench.device(), List.of(weight))
                    .close();
        }
    }

    @Test
    void onlyMatricesOutsideLayersAreReportedAsMissedEmbeddings() {
        for (String path : List.of("wte.weight", "transformer.tokens", "head")) {
            assertTrue(UpdateReport.isOutsideLayers(spec(ParameterPart.whole(path, Shape.of(4, 4)))), path);
        }
        for (String path : List.of("model.layers.0.mlp.up_proj.weight", "h.11.weight", "7.w")) {
            assertFalse(UpdateReport.isOutsideLayers(spec(ParameterPart.whole(path, Shape.of(4, 4)))), path);
        }
    }

    @Test
    void rejectsImpossibleOptionsByName() {
        var options = new MuonOptions(1, true, 5, 0.1, false, List.of(), 0.9, 0.95, 1e-8, WeightRounding.STOCHASTIC, 0);
        String message = assertThrows(ConfigurationException.class, () -> new MuonFactory().create(options))
                .getMessage();
        assertEquals(
                "optimizer.options.momentum: 1.0 is wrong (allowed: at least 0 and below 1, finite in FP32); set optimizer.options.momentum=0.95",
                message);
    }

    /** More elements than the FP32 copy of BF16 weights has. Rounded to nearest, each piece is what FP32 weights become. */
    @Tag("soak")
    @Test
    void updatesLargeBf16MatricesAsFp32Ones() {
        var options = new MuonOptions(0.95, true, 1, 0.1, false, List.of(), 0.9, 0.95, 1e-8, WeightRounding.NEAREST, 0);
        ParameterPart large = ParameterPart.whole("model.layers.0.weight", Shape.of(2, (1 << 21) + 500));
        try (var bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)))) {
            double[] narrow = updated(bench, options, DType.BF16, large);
            double[] wide = updated(bench, options, DType.FP32, large);
            for (int i = 0; i < wide.length; i++) {
                assertEquals(wide[i], narrow[i], Math.abs(wide[i]) * 0x1p-8, "element " + i);
            }
        }
    }

    /** From weights that BF16 has. */
    private static double[] updated(Bench bench, MuonOptions options, DType dtype, ParameterPart part) {
        ParameterSpec spec = spec(part);
        long all = spec.shape().elements();
        var weight = new Weight(
                spec,
                bench.tensor(dtype, i -> (i % 5 - 2) / 8.0, all),
                bench.tensor(DType.FP32, i -> Math.sin(i * 1e-3), all));
        try (var run = new MuonFactory().create(options).bind(bench.device(), List.of(weight))) {
            // A rate with which an update is larger than the rounding.
            run.step(bench.queue(), 1, 50, bench.tensor(DType.FP64, i -> 1, 1));
            return bench.read(weight.value());
        }
    }
}
