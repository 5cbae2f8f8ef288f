package io.hirundo.testkit.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.Tokens;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.FiniteDifferences;
import io.hirundo.testkit.fixture.FixtureValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What a layer does on one rank. */
public interface OneRankClauses extends LayerOffer {
    /** Of each tensor, whose gradient is checked. */
    int ELEMENTS = 48;

    @Clause(
            value =
                    "The layer has exactly the weights that its spec declares, with their shapes and initialization, and lists them",
            remedy =
                    "LayerSpec.weights() and matrices() against what the provider gets from LayerScope.parameter and matrix; Layer.parameters()")
    default void weightsAreDeclared(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            var declared = new ArrayList<String>();
            for (WeightSpec weight : layer().spec().weights()) {
                declared.add(weight.path() + " " + weight.globalShape() + " " + weight.initialization());
            }
            var made = new ArrayList<String>();
            for (Parameter parameter : fixture.declared()) {
                ParameterSpec spec = parameter.spec();
                spec.parts()
                        .forEach(
                                part -> made.add(part.path() + " " + part.globalShape() + " " + spec.initialization()));
            }
            assertEquals(sorted(declared), sorted(made), "weights");
            assertEquals(names(fixture.declared()), names(fixture.listed()), "weights that parameters() lists");
        }
    }

    private static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }

    private static List<String> names(List<Parameter> parameters) {
        return parameters.stream()
                .map(parameter -> parameter.spec().name())
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    @Clause(
            value =
                    "Gradients of weights and inputs are those of finite differences in FP64, within 1e-6 of the largest one or of 1",
            remedy = "the backward's formulas; context.gradientScale() where the loss or a term of it is computed")
    default void gradientsAreFiniteDifferences(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            checkGradients(fixture);
        }
    }

    private static void checkGradients(LayerFixture fixture) {
        LayerFixture.Pass pass = fixture.train();
        for (Parameter parameter : fixture.declared()) {
            FiniteDifferences.check(
                    fixture,
                    "the gradient of " + parameter.spec().name(),
                    parameter.value(),
                    fixture.read(parameter.gradient()),
                    ELEMENTS);
        }
        for (int i = 0; i < fixture.inputs().size(); i++) {
            FiniteDifferences.check(
                    fixture,
                    "the gradient of input " + i,
                    fixture.inputs().get(i),
                    pass.inputGradients().get(i),
                    ELEMENTS);
        }
    }

    @Clause(
            value =
                    "With two documents in each sequence, no output depends on another document's rows; gradients of layers that mix positions are"
                            + " those of finite differences",
            remedy =
                    "MicroBatch.documentStartsT(), also in the backward; attention kernels take it as AttentionShape.within()")
    default void documentsAreApart(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench, bench.device(), DocumentPacking.TWO_DOCUMENTS)) {
            if (mixesPositions()) {
                checkGradients(fixture);
            }
            List<double[]> before = fixture.evaluate().outputs();
            for (Tensor input : fixture.inputs()) {
                double[] values = fixture.read(input);
                int width = values.length / (sequences() * SplitRows.SEQUENCE_TOKENS);
                double[] moved = values.clone();
                Arrays.setAll(moved, at -> isInFirstDocument(at / width) ? values[at] + 1 : values[at]);
                fixture.write(input, moved);
                List<double[]> after = fixture.evaluate().outputs();
                fixture.write(input, values);
                for (int i = 0; i < before.size(); i++) {
                    int columns = before.get(i).length / (sequences() * SplitRows.SEQUENCE_TOKENS);
                    for (int at = 0; at < before.get(i).length; at++) {
                        if (!isInFirstDocument(at / columns)) {
                            assertEquals(
                                    before.get(i)[at],
                                    after.get(i)[at],
                                    1e-12,
                                    "element " + at + " of output " + i + ", which another document's input changed");
                        }
                    }
                }
            }
        }
    }

    private static boolean isInFirstDocument(int token) {
        return token < SplitRows.SEQUENCE_TOKENS && DocumentPacking.TWO_DOCUMENTS.documentStart(token) == 0;
    }

    @Clause(
            value = "A second forward computes the bits of the first, as full recomputation needs",
            remedy = "state that a forward leaves in the layer")
    default void forwardsAreEqual(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            LayerFixture.Pass first = fixture.evaluate();
            LayerFixture.Pass second = fixture.evaluate();
            for (int i = 0; i < first.outputs().size(); i++) {
                assertArrayEquals(first.outputs().get(i), second.outputs().get(i), "output " + i);
            }
            assertEquals(first.loss(), second.loss(), "loss");
            assertEquals(first.terms(), second.terms(), "loss terms");
        }
    }

    @Clause(
            value = "Logits, where a layer makes them, have the loss that the layer adds",
            remedy = "what logits() leaves out of forward(): a soft cap, a scale, the vocabulary of other ranks")
    default void logitsHaveTheLoss(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            double loss = fixture.evaluate().loss();
            fixture.lossOfLogits()
                    .ifPresent(ofLogits -> assertEquals(loss, ofLogits, 1e-12 * Math.max(1, loss), "loss of logits"));
        }
    }

    @Clause(
            value = "Evaluation computes the outputs, the loss and its terms of training, and adds to no gradient",
            remedy =
                    "forward() of layers that compute their backward with it; sums of the loss and its terms are added to, not set")
    default void evaluationComputesTheOutputsOfTraining(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            LayerFixture.Pass evaluated = fixture.evaluate();
            RankPass.gradients(fixture)
                    .forEach(gradient -> assertArrayEquals(new double[gradient.values().length], gradient.values()));
            LayerFixture.Pass trained = fixture.train();
            assertEquals(trained.loss(), evaluated.loss(), 1e-12 * Math.abs(trained.loss()), "loss");
            trained.terms()
                    .forEach((term, value) -> assertEquals(
                            value, evaluated.terms().get(term), 1e-12 * Math.abs(value), "loss term " + term.name()));
            for (int i = 0; i < trained.outputs().size(); i++) {
                FixtureValues.requireClose(
                        "output " + i,
                        trained.outputs().get(i),
                        evaluated.outputs().get(i),
                        1e-12);
            }
        }
    }

    @Clause(
            value = "Gradients of weights accumulate over microbatches: a second equal pass doubles them",
            remedy = "kernels and GEMMs that overwrite a gradient instead of adding to it")
    default void gradientsAccumulate(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            fixture.train();
            List<RankPass.Gradient> first = RankPass.gradients(fixture);
            fixture.train();
            List<RankPass.Gradient> second = RankPass.gradients(fixture);
            for (int i = 0; i < first.size(); i++) {
                double[] doubled = first.get(i).values().clone();
                Arrays.setAll(doubled, at -> 2 * doubled[at]);
                FixtureValues.requireClose(
                        "twice the gradient of " + first.get(i).part().path(),
                        doubled,
                        second.get(i).values(),
                        1e-12);
            }
        }
    }

    @Clause(
            value = "Inputs, gradients of outputs and weights are read only",
            remedy = "in-place operations on tensors that belong to the block")
    default void operandsAreReadOnly(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            var operands = new ArrayList<Tensor>(fixture.inputs());
            operands.addAll(fixture.outputGradients());
            fixture.declared().forEach(parameter -> operands.add(parameter.value()));
            List<double[]> before = operands.stream().map(fixture::read).toList();
            fixture.train();
            for (int i = 0; i < before.size(); i++) {
                assertArrayEquals(
                        before.get(i),
                        fixture.read(operands.get(i)),
                        "an operand of shape " + operands.get(i).shape() + " was written to");
            }
        }
    }

    @Clause(
            value =
                    "After a pass nothing stays allocated but what it returned, as activations; outputs have the declared size",
            remedy = "scratch tensors, which try-with-resources closes; memory that the block cannot release")
    default void memoryIsReturnedTensors(Bench bench) {
        try (var fixture = LayerFixture.alone(this, bench)) {
            fixture.train();
            Map<MemoryCategory, Long> before = bench.heldByOthers();
            LayerDrive.Passed passed = fixture.trainOpen();
            var returned = new ArrayList<Tensor>(passed.outputs());
            returned.addAll(passed.inputGradients());
            long bytes = returned.stream()
                    .mapToLong(tensor -> backend().memoryProfile().allocationBytes(tensor.byteSize()))
                    .sum();
            Map<MemoryCategory, Long> after = bench.heldByOthers();
            returned.forEach(Tensor::close);
            after.merge(
                    MemoryCategory.ACTIVATIONS,
                    -before.getOrDefault(MemoryCategory.ACTIVATIONS, 0L) - bytes,
                    Long::sum);
            assertEquals(
                    0L,
                    after.remove(MemoryCategory.ACTIVATIONS),
                    "bytes of activations beyond those of outputs and input gradients");
            before.remove(MemoryCategory.ACTIVATIONS);
            assertEquals(before, after, "bytes of other memory");
            for (int i = 0; i < passed.outputs().size(); i++) {
                long elements = (long) sequences()
                        * SplitRows.SEQUENCE_TOKENS
                        * layer().spec().outputs().get(i).channels();
                assertEquals(elements, passed.outputs().get(i).elements(), "elements of output " + i);
            }
            assertTrue(passed.inputGradients().size() == fixture.inputs().size(), "an input has no gradient");
        }
    }

    @Clause(
            value = "modelFlops() counts the GEMMs and the attention of a training pass",
            remedy = "LayerSpec.modelFlops(): FLOPs of forward and backward, two for each multiplication; matrices()")
    default void flopsAreThoseThatRun(Bench bench) {
        var counted = new CountedFlops();
        try (var fixture = LayerFixture.alone(this, bench, counted.on(bench.device()), DocumentPacking.ONE_DOCUMENT)) {
            fixture.train();
            double declared = layer().spec().modelFlops(Tokens.causal(sequences(), SplitRows.SEQUENCE_TOKENS));
            assertEquals(
                    counted.flops(),
                    declared,
                    1e-9 * Math.max(1, declared),
                    "FLOPs of a training pass of " + sequences() * SplitRows.SEQUENCE_TOKENS + " tokens");
        }
    }
}
