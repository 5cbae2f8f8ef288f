package io.hirundo.paralleltp.internal.columnrow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.LayerFactory;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.paralleltp.internal.fixture.GradientSum;
import io.hirundo.paralleltp.internal.fixture.Layout;
import io.hirundo.paralleltp.internal.fixture.TestLocalLayers;
import io.hirundo.paralleltp.internal.fixture.TestRank;
import io.hirundo.paralleltp.internal.fixture.TestSaved;
import io.hirundo.paralleltp.internal.fixture.Values;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A Llama of 8 query heads and 4 key and value heads: loss and every gradient as without any split. */
class WholeModelTest {
    /** Gradients go through two blocks and back; the scale of each tensor is its largest element. */
    private static final double FP32_TOLERANCE = 1e-5;

    static List<Layout> layouts() {
        return Layout.all();
    }

    private static Architecture model(boolean tied) {
        return new LlamaFactory()
                .create(new LlamaOptions(
                        TestRank.VOCABULARY,
                        32,
                        48,
                        2,
                        8,
                        4,
                        0,
                        TestRank.SEQUENCE_TOKENS,
                        1e-5,
                        10000,
                        null,
                        tied,
                        0.02,
                        false,
                        false,
                        0));
    }

    /** All hidden in one go, in halves, and nothing hidden; single layers are tested with every kind of overlap. */
    private record Way(ColumnRowOptions options, boolean fused) {
        static List<Way> all(Layout layout) {
            ColumnRowOptions hidden = layout.overlaps().get(0);
            return List.of(
                    new Way(hidden, true),
                    new Way(hidden, false),
                    new Way(layout.overlaps().get(1), true));
        }
    }

    private record Outcome(double loss, List<TestLocalLayers.Found> gradients) {}

    private static Outcome step(
            Architecture model, TestRank rank, TestLocalLayers local, LayerFactory layers, boolean fused) {
        List<Block> blocks = model.describe().blocks().stream()
                .map(spec -> model.build(spec, layers))
                .toList();
        var inputs = new ArrayList<Tensor>();
        var saved = new ArrayList<TestSaved>();
        Tensor x = null;
        for (Block block : blocks) {
            inputs.add(x);
            saved.add(new TestSaved());
            x = block.forward(rank, x, saved.getLast());
        }
        Tensor dy = null;
        for (int block = blocks.size() - 1; block >= 0; block--) {
            Tensor input = inputs.get(block);
            if (fused) {
                dy = blocks.get(block).backward(rank, input, dy, saved.get(block));
            } else {
                dy = blocks.get(block).backwardInput(rank, input, dy, saved.get(block));
                blocks.get(block).backwardWeight(rank, input, saved.get(block));
            }
            if (input != null) {
                input.close();
            }
        }
        return new Outcome(rank.loss(), local.gradients());
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void lossAndGradients(Layout layout) {
        for (boolean tied : new boolean[] {false, true}) {
            Outcome plain = TestRank.each(1, layout.dtype(), rank -> {
                        var local = new TestLocalLayers(rank);
                        return step(
                                model(tied),
                                rank,
                                local,
                                layout.layers(layout.overlaps().getFirst(), local),
                                false);
                    })
                    .getFirst();
            var expected = GradientSum.of(List.of(plain.gradients));
            Map<String, double[]> first = null;
            for (Way way : Way.all(layout)) {
                List<Outcome> outcomes = TestRank.each(layout.ranks(), layout.dtype(), rank -> {
                    var local = layout.local(rank);
                    return step(model(tied), rank, local, layout.layers(way.options, local), way.fused);
                });
                for (Outcome outcome : outcomes) {
                    assertEquals(plain.loss, outcome.loss, plain.loss * (layout.dtype() == DType.FP64 ? 1e-13 : 1e-6));
                    assertEquals(outcomes.getFirst().loss, outcome.loss, "every rank has the whole loss");
                }
                var found =
                        GradientSum.of(outcomes.stream().map(Outcome::gradients).toList());
                if (first == null) {
                    first = found;
                    assertEquals(expected.keySet(), found.keySet());
                    double tolerance = layout.dtype() == DType.FP64 ? Values.FP64_TOLERANCE : FP32_TOLERANCE;
                    expected.forEach(
                            (path, gradient) -> Values.assertClose(gradient, found.get(path), tolerance, path));
                }
                first.forEach((path, gradient) -> assertArrayEquals(gradient, found.get(path), way + " " + path));
            }
        }
    }
}
