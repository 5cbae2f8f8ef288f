package io.hirundo.paralleltp.internal.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.paralleltp.internal.fixture.GradientSum;
import io.hirundo.paralleltp.internal.fixture.Layout;
import io.hirundo.paralleltp.internal.fixture.TestLocalLayers;
import io.hirundo.paralleltp.internal.fixture.TestRank;
import io.hirundo.paralleltp.internal.fixture.Values;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Split layers against products made with three loops. T = 24 tokens, so that up to 8 ranks have 3 rows each. */
class LinearLayersTest {
    private static final int T = TestRank.TOKENS;
    private static final int K = 32;

    private static final Initialization NORMAL = Initialization.normal(1);

    /** 8 query heads, 4 key and value heads of 2 channels; 8 ranks share the latter. */
    private static final LayerSpec.Attention ATTENTION =
            new LayerSpec.Attention("attention", new Heads(8, 4, 2), List.of(1.0), 1);

    private static final LayerSpec.Linear QKV = LayerSpec.Linear.fromResidual(
            "qkv",
            List.of(
                    new LinearPart("q", ATTENTION.query()),
                    new LinearPart("k", ATTENTION.keyValue()),
                    new LinearPart("v", ATTENTION.keyValue())),
            K,
            NORMAL);

    private static final LayerSpec.Linear OUT =
            LayerSpec.Linear.toResidual("out", "out.weight", List.of(Dims.inner(K)), 10, NORMAL);

    private static final LayerSpec.Linear WHOLE = new LayerSpec.Linear(
            "whole",
            List.of(new LinearPart("whole.weight", List.of(new Dim("router", 10)))),
            Activation.residual(K),
            Dims.RESIDUAL_ROWS,
            NORMAL);

    static List<Layout> layouts() {
        return Layout.all();
    }

    private record Outcome(double[] y, double[] dx, List<TestLocalLayers.Found> dw, int collectives, int messages) {}

    /** What a rank hands to the layer: activations of this width, and gradients of its outputs. */
    private interface Operands {
        double[] x(int rank);

        double[] dy(int rank, int width);
    }

    private static List<Outcome> run(
            Layout layout, ColumnRowOptions options, LayerSpec.Linear spec, Operands operands, boolean fused) {
        return TestRank.each(layout.ranks(), layout.dtype(), rank -> {
            var local = layout.local(rank);
            LinearLayer layer = layout.layers(options, local).create(spec);
            boolean column = spec == QKV;
            int number = rank.group.rank();
            long inRows = spec == OUT ? T : layout.residualRows();
            long outRows = column ? T : layout.residualRows();
            double[] x = operands.x(number);
            Tensor xTK = rank.activation(Shape.of(inRows, x.length / inRows), x);
            Tensor yTN = layer.forward(rank, xTK);
            int width = (int) yTN.shape().dim(1);
            Tensor dyTN = rank.activation(Shape.of(outRows, width), operands.dy(number, width));
            Tensor dxTK;
            if (fused) {
                dxTK = layer.backward(rank, dyTN, xTK);
            } else {
                dxTK = layer.backwardInput(rank, dyTN);
                layer.backwardWeight(rank, dyTN, xTK);
            }
            xTK.close();
            dyTN.close();
            return new Outcome(
                    rank.readAndClose(yTN),
                    rank.readAndClose(dxTK),
                    local.gradients(),
                    rank.group.collectives(),
                    rank.group.messages());
        });
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void columnLayer(Layout layout) {
        double[] x = Values.random("x", T * K, 1);
        var operands = new Operands() {
            @Override
            public double[] x(int rank) {
                return layout.residual(x, rank);
            }

            @Override
            public double[] dy(int rank, int width) {
                return Values.random("dy" + rank, (long) T * width, 1);
            }
        };
        List<Outcome> outcomes = same(layout, QKV, operands);
        double[] dx = new double[T * K];
        var expectedGradients = new ArrayList<List<TestLocalLayers.Found>>();
        for (int rank = 0; rank < layout.ranks(); rank++) {
            Outcome outcome = outcomes.get(rank);
            int width = outcome.y.length / T;
            double[] dy = operands.dy(rank, width);
            int column = 0;
            var gradients = new ArrayList<TestLocalLayers.Found>();
            for (TestLocalLayers.Found found : outcome.dw) {
                int rows = (int) found.part().shape().dim(0);
                double[] w = Values.window(
                        TestLocalLayers.whole(found.part()),
                        K,
                        found.part().offset().getFirst(),
                        rows,
                        0,
                        K);
                double[] y = new double[T * rows];
                Values.multiplyAdd(x, Values.transpose(w, rows, K), y, T, rows, K);
                Values.assertClose(
                        y,
                        Values.window(outcome.y, width, 0, T, column, rows),
                        layout.dtype(),
                        found.part().path());
                double[] dyPart = Values.window(dy, width, 0, T, column, rows);
                Values.multiplyAdd(dyPart, w, dx, T, K, rows);
                double[] dw = new double[rows * K];
                Values.multiplyAdd(Values.transpose(dyPart, T, rows), x, dw, rows, K, T);
                gradients.add(new TestLocalLayers.Found(found.part(), dw));
                column += rows;
            }
            expectedGradients.add(gradients);
            assertEquals(width, column);
        }
        for (int rank = 0; rank < layout.ranks(); rank++) {
            Values.assertClose(layout.residual(dx, rank), outcomes.get(rank).dx, layout.dtype(), "dx");
        }
        var expected = GradientSum.of(expectedGradients);
        var found = GradientSum.of(outcomes.stream().map(Outcome::dw).toList());
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach((path, dw) -> Values.assertClose(dw, found.get(path), layout.dtype(), path));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void rowLayer(Layout layout) {
        double[] x = Values.random("x", T * K, 1);
        double[] dy = Values.random("dy", T * 10, 1);
        int share = K / layout.ranks();
        var operands = new Operands() {
            @Override
            public double[] x(int rank) {
                return Values.window(x, K, 0, T, (long) rank * share, share);
            }

            @Override
            public double[] dy(int rank, int width) {
                return layout.residual(dy, rank);
            }
        };
        List<Outcome> outcomes = same(layout, OUT, operands);
        double[] w = TestLocalLayers.whole(ParameterPart.whole("out.weight", Shape.of(10, K)));
        double[] y = new double[T * 10];
        Values.multiplyAdd(x, Values.transpose(w, 10, K), y, T, 10, K);
        double[] dx = new double[T * K];
        Values.multiplyAdd(dy, w, dx, T, K, 10);
        double[] dw = new double[10 * K];
        Values.multiplyAdd(Values.transpose(dy, T, 10), x, dw, 10, K, T);
        for (int rank = 0; rank < layout.ranks(); rank++) {
            Outcome outcome = outcomes.get(rank);
            Values.assertClose(layout.residual(y, rank), outcome.y, layout.dtype(), "y");
            Values.assertClose(
                    Values.window(dx, K, 0, T, (long) rank * share, share), outcome.dx, layout.dtype(), "dx");
        }
        var found = GradientSum.of(outcomes.stream().map(Outcome::dw).toList());
        Values.assertClose(dw, found.get("out.weight"), layout.dtype(), "dw");
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void layerThatIsNotSplit(Layout layout) {
        double[] x = Values.random("x", T * K, 1);
        double[] dy = Values.random("dy", T * 10, 1);
        var operands = new Operands() {
            @Override
            public double[] x(int rank) {
                return layout.residual(x, rank);
            }

            @Override
            public double[] dy(int rank, int width) {
                return layout.residual(dy, rank);
            }
        };
        List<Outcome> outcomes = same(layout, WHOLE, operands);
        double[] dw = new double[10 * K];
        Values.multiplyAdd(Values.transpose(dy, T, 10), x, dw, 10, K, T);
        var found = GradientSum.of(outcomes.stream().map(Outcome::dw).toList());
        Values.assertClose(dw, found.get("whole.weight"), layout.dtype(), "dw");
        assertEquals(0, outcomes.getFirst().collectives);
    }

    /** Whatever is hidden, and whether the backward comes in halves, the numbers are bitwise the same. */
    private static List<Outcome> same(Layout layout, LayerSpec.Linear spec, Operands operands) {
        List<Outcome> first = null;
        for (ColumnRowOptions options : layout.overlaps()) {
            for (boolean fused : new boolean[] {true, false}) {
                List<Outcome> outcomes = run(layout, options, spec, operands, fused);
                if (first == null) {
                    first = outcomes;
                }
                for (int rank = 0; rank < layout.ranks(); rank++) {
                    String what = options + (fused ? " fused" : " in halves") + ", rank " + rank;
                    assertArrayEquals(first.get(rank).y, outcomes.get(rank).y, what);
                    assertArrayEquals(first.get(rank).dx, outcomes.get(rank).dx, what);
                    for (int part = 0; part < outcomes.get(rank).dw.size(); part++) {
                        assertArrayEquals(
                                first.get(rank).dw.get(part).values(),
                                outcomes.get(rank).dw.get(part).values(),
                                what);
                    }
                }
            }
        }
        return first;
    }

    /** So that an option that does nothing is noticed. */
    @ParameterizedTest
    @MethodSource("layouts")
    void overlapIsReal(Layout layout) {
        if (!layout.sequenceParallel()) {
            return;
        }
        var operands = new Operands() {
            @Override
            public double[] x(int rank) {
                return new double[T * K / layout.ranks()];
            }

            @Override
            public double[] dy(int rank, int width) {
                return new double[T * 10 / layout.ranks()];
            }
        };
        Outcome hidden =
                run(layout, layout.overlaps().get(0), OUT, operands, true).getFirst();
        Outcome open =
                run(layout, layout.overlaps().get(1), OUT, operands, true).getFirst();
        assertEquals(layout.ranks() - 1, hidden.messages, "rows of dy go round");
        assertEquals(Math.min(4, T / layout.ranks()), hidden.collectives, "parts of the forward's reduce-scatter");
        assertEquals(0, open.messages);
        assertEquals(2, open.collectives, "one reduce-scatter, one all-gather for both products");
    }
}
