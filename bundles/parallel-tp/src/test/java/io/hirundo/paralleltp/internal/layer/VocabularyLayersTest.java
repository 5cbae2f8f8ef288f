package io.hirundo.paralleltp.internal.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.LayerSpec;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.paralleltp.internal.columnrow.ColumnRow;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.paralleltp.internal.fixture.GradientSum;
import io.hirundo.paralleltp.internal.fixture.Layout;
import io.hirundo.paralleltp.internal.fixture.SplitLayers;
import io.hirundo.paralleltp.internal.fixture.TestLocalLayers;
import io.hirundo.paralleltp.internal.fixture.TestRank;
import io.hirundo.paralleltp.internal.fixture.Values;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Embedding and head over a split vocabulary against sums over all of it. */
class VocabularyLayersTest {
    private static final int T = TestRank.TOKENS;
    private static final int V = TestRank.VOCABULARY;
    private static final int C = 6;
    private static final Initialization NORMAL = Initialization.normal(1);
    private static final LayerSpec.Embedding EMBEDDING = new LayerSpec.Embedding("tied", V, C, NORMAL);
    private static final LayerSpec.LossHead HEAD = new LayerSpec.LossHead("tied", V, C, NORMAL);

    static List<Layout> layouts() {
        return Layout.all();
    }

    private record Embedded(double[] y, List<TestLocalLayers.Found> dw) {}

    @ParameterizedTest
    @MethodSource("layouts")
    void embedding(Layout layout) {
        double[] dy = Values.random("dy", T * C, 1);
        double[] table = TestLocalLayers.whole(ParameterPart.whole("tied", Shape.of(V, C)));
        double[] y = new double[T * C];
        double[] dTable = new double[V * C];
        for (int i = 0; i < y.length; i++) {
            int at = i / C * 37 % V * C + i % C;
            y[i] = table[at];
            dTable[at] += dy[i];
        }
        for (ColumnRowOptions options : layout.overlaps()) {
            List<Embedded> outcomes = TestRank.each(layout.ranks(), layout.dtype(), rank -> {
                var local = layout.local(rank);
                var layer = layout.layers(options, local).create(EMBEDDING);
                Tensor yTC = layer.forward(rank);
                Tensor dyTC =
                        rank.activation(Shape.of(layout.residualRows(), C), layout.residual(dy, rank.group.rank()));
                layer.backwardWeight(rank, dyTC);
                dyTC.close();
                return new Embedded(rank.readAndClose(yTC), local.gradients());
            });
            for (int rank = 0; rank < layout.ranks(); rank++) {
                assertArrayEquals(layout.residual(y, rank), outcomes.get(rank).y);
            }
            Values.assertClose(
                    dTable,
                    GradientSum.of(outcomes.stream().map(Embedded::dw).toList()).get("tied"),
                    layout.dtype(),
                    "dTable");
        }
    }

    private record Lost(
            double loss, double forwardLoss, double[] dh, double[] logits, List<TestLocalLayers.Found> dw) {}

    private static Lost lose(Layout layout, ColumnRowOptions options, long chunkTokens, TestRank rank, double[] h) {
        var local = layout.local(rank);
        var factory = new SplitLayers(new ColumnRow(options, (columns, channels, elementBytes) -> chunkTokens), local);
        factory.create(EMBEDDING);
        var head = factory.create(HEAD);
        Tensor hTC = rank.activation(Shape.of(layout.residualRows(), C), layout.residual(h, rank.group.rank()));
        head.forward(rank, hTC);
        double forwardLoss = rank.loss();
        Tensor dhTC = head.forwardBackward(rank, hTC);
        double loss = rank.loss() - forwardLoss;
        Tensor logitsTV = head.logits(rank, hTC);
        hTC.close();
        return new Lost(loss, forwardLoss, rank.readAndClose(dhTC), rank.readAndClose(logitsTV), local.gradients());
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void head(Layout layout) {
        double[] h = Values.random("h", T * C, 3);
        double[] w = TestLocalLayers.whole(ParameterPart.whole("tied", Shape.of(V, C)));
        double[] logits = new double[T * V];
        Values.multiplyAdd(h, Values.transpose(w, V, C), logits, T, V, C);
        double loss = 0;
        double[] dLogits = new double[T * V];
        for (int token = 0; token < T; token++) {
            double sum = 0;
            for (int v = 0; v < V; v++) {
                sum += Math.exp(logits[token * V + v]);
            }
            int label = token * 23 % V;
            double weight = token % 5 == 3 ? 0 : 1;
            loss += weight * (Math.log(sum) - logits[token * V + label]);
            for (int v = 0; v < V; v++) {
                dLogits[token * V + v] = weight / 19 * (Math.exp(logits[token * V + v]) / sum - (v == label ? 1 : 0));
            }
        }
        double[] dh = new double[T * C];
        Values.multiplyAdd(dLogits, w, dh, T, C, V);
        double[] dw = new double[V * C];
        Values.multiplyAdd(Values.transpose(dLogits, T, V), h, dw, V, C, T);

        for (long chunkTokens : new long[] {T, 16, 5}) {
            List<Lost> outcomes = sameWhateverIsHidden(layout, chunkTokens, h);
            for (int rank = 0; rank < layout.ranks(); rank++) {
                Lost lost = outcomes.get(rank);
                Values.assertClose(new double[] {loss}, new double[] {lost.loss}, layout.dtype(), "loss");
                assertEquals(lost.forwardLoss, lost.loss, Math.abs(loss) * 1e-12);
                Values.assertClose(layout.residual(dh, rank), lost.dh, layout.dtype(), "dh");
                Values.assertClose(logits, lost.logits, layout.dtype(), "logits");
            }
            Values.assertClose(
                    dw, GradientSum.of(outcomes.stream().map(Lost::dw).toList()).get("tied"), layout.dtype(), "dw");
        }
    }

    private static List<Lost> sameWhateverIsHidden(Layout layout, long chunkTokens, double[] h) {
        List<Lost> first = null;
        for (ColumnRowOptions options : layout.overlaps().subList(0, 2)) {
            List<Lost> outcomes =
                    TestRank.each(layout.ranks(), layout.dtype(), rank -> lose(layout, options, chunkTokens, rank, h));
            first = first == null ? outcomes : first;
            for (int rank = 0; rank < layout.ranks(); rank++) {
                assertEquals(first.get(rank).loss, outcomes.get(rank).loss);
                assertArrayEquals(first.get(rank).dh, outcomes.get(rank).dh);
                assertArrayEquals(
                        first.get(rank).dw.getFirst().values(),
                        outcomes.get(rank).dw.getFirst().values());
            }
        }
        return first;
    }
}
