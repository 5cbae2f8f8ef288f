package io.hirundo.testkit.layer;

import io.hirundo.device.Device;
import io.hirundo.mesh.World;
import io.hirundo.model.Activation;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.fixture.AloneWorld;
import io.hirundo.testkit.fixture.CrossEntropy;
import io.hirundo.testkit.fixture.FixtureValues;
import io.hirundo.testkit.fixture.Fp64Context;
import io.hirundo.testkit.fixture.Fp64Scope;
import io.hirundo.testkit.fixture.Objective;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** A layer on one rank of a layout, with its inputs and the gradients of its outputs. */
final class LayerFixture implements Objective, AutoCloseable {
    private final Bench bench;
    private final LayerSpec<?> spec;
    private final SplitRows split;
    private final Fp64Scope scope;
    private final Fp64Context context;
    private final Driven<?> driven;
    private final List<Tensor> inputs;
    private final List<Tensor> outputGradients;

    private record Driven<L extends Layer>(L layer, LayerDrive<L> drive) {
        List<Tensor> forward(Fp64Context context, List<Tensor> inputs) {
            return drive.forward(layer, context, inputs);
        }

        Optional<Tensor> logits(Fp64Context context, List<Tensor> inputs) {
            return drive.logits(layer, context, inputs);
        }

        LayerDrive.Passed train(Fp64Context context, List<Tensor> inputs, List<Tensor> outputGradients) {
            return drive.train(layer, context, inputs, outputGradients);
        }
    }

    /** What a training pass made, and what it added to the loss and to each of its terms. */
    record Pass(List<double[]> outputs, List<double[]> inputGradients, double loss, Map<LossTerm, Double> terms) {}

    private LayerFixture(
            LayerOffer offer,
            SplitLayout layout,
            LayerProvider<?, ?> provider,
            Bench bench,
            Device device,
            World world,
            DocumentPacking packing) {
        this.bench = bench;
        spec = offer.layer().spec();
        split = SplitRows.of(layout, world.rank(), offer.contextParallel());
        scope = new Fp64Scope(bench, device, layout.sharding(), world, offer.contextParallel());
        driven = driven(offer.layer(), provider, scope);
        context = new Fp64Context(device, bench.queue(), batch(packing), sum(), termSums(), Recompute.NONE);
        inputs = tensors("input ", spec.inputs(), layout.tokens(), split::cut);
        outputGradients = tensors("output gradient ", spec.outputs(), layout.tokens(), split::cutGradient);
    }

    private Tensor sum() {
        return bench.tensor(DType.FP64, i -> 0, 1);
    }

    private Map<LossTerm, Tensor> termSums() {
        var sums = new HashMap<LossTerm, Tensor>();
        spec.lossTerms().keySet().forEach(term -> sums.put(term, sum()));
        return sums;
    }

    /** On one rank. */
    static LayerFixture alone(LayerOffer offer, Bench bench) {
        return alone(offer, bench, bench.device(), DocumentPacking.ONE_DOCUMENT);
    }

    /** {@code device}: the bench's, or one that counts its calls. */
    static LayerFixture alone(LayerOffer offer, Bench bench, Device device, DocumentPacking packing) {
        SplitLayout layout = SplitLayout.alone(offer);
        LayerProvider<?, ?> provider = layout.provider(offer)
                .orElseThrow(() -> new AssertionError(
                        "none of providers() makes " + offer.layer().spec().name() + " run"));
        return new LayerFixture(offer, layout, provider, bench, device, new AloneWorld(device), packing);
    }

    static LayerFixture of(
            LayerOffer offer,
            SplitLayout layout,
            LayerProvider<?, ?> provider,
            Bench bench,
            World world,
            DocumentPacking packing) {
        return new LayerFixture(offer, layout, provider, bench, bench.device(), world, packing);
    }

    /** A provider of a kind of layer makes the running layers of that kind. */
    @SuppressWarnings("unchecked")
    private static <L extends Layer, S extends LayerSpec<L>> Driven<L> driven(
            LayerCase<L> of, LayerProvider<?, ?> provider, Fp64Scope scope) {
        L layer = ((LayerProvider<L, S>) provider).create((S) of.spec(), scope);
        return new Driven<>(layer, of.drive());
    }

    private MicroBatch batch(DocumentPacking packing) {
        long vocabulary = spec.weights().stream()
                .flatMap(weight -> weight.shape().stream().flatMap(List::stream))
                .filter(dim -> dim.name().equals(Dims.VOCABULARY))
                .mapToLong(dim -> dim.extent())
                .findFirst()
                .orElse(8);
        return new MicroBatch(
                split.sequences(),
                split.tokens().size() / split.sequences(),
                split.pieces(),
                integers(token -> (int) (token * 5 % vocabulary)),
                integers(token -> (int) ((token * 3 + 1) % vocabulary)),
                bench.tensor(
                        DType.FP32,
                        i -> split.tokens().get((int) i) % 5 == 3 ? 0 : 1,
                        split.tokens().size()),
                integers(token -> token % SplitRows.SEQUENCE_TOKENS),
                packing == DocumentPacking.ONE_DOCUMENT
                        ? Optional.empty()
                        : Optional.of(integers(packing::documentStart)));
    }

    private Tensor integers(IntUnaryOperator ofToken) {
        return bench.tensor(
                DType.INT32,
                i -> ofToken.applyAsInt(split.tokens().get((int) i)),
                split.tokens().size());
    }

    /** This rank's parts of tensors with random values. */
    private List<Tensor> tensors(
            String name, List<Activation> activations, int tokens, BiFunction<Activation, double[], double[]> cut) {
        var tensors = new ArrayList<Tensor>();
        for (int i = 0; i < activations.size(); i++) {
            Activation activation = activations.get(i);
            double[] part = cut.apply(
                    activation, FixtureValues.tensor(name + i, Math.toIntExact(tokens * activation.channels())));
            tensors.add(bench.tensor(
                    DType.FP64,
                    at -> part[(int) at],
                    split.rows(activation).size(),
                    split.columns(activation).size()));
        }
        return List.copyOf(tensors);
    }

    SplitRows split() {
        return split;
    }

    List<Tensor> inputs() {
        return inputs;
    }

    List<Tensor> outputGradients() {
        return outputGradients;
    }

    List<Parameter> declared() {
        return scope.parameters();
    }

    List<Parameter> listed() {
        return driven.layer.parameters();
    }

    /** A training pass whose tensors the caller closes. */
    LayerDrive.Passed trainOpen() {
        return driven.train(context, inputs, outputGradients);
    }

    Pass train() {
        zeroLoss();
        LayerDrive.Passed passed = trainOpen();
        return new Pass(take(passed.outputs()), take(passed.inputGradients()), sumOf(context.lossSum()), terms());
    }

    Pass evaluate() {
        zeroLoss();
        return new Pass(take(driven.forward(context, inputs)), List.of(), sumOf(context.lossSum()), terms());
    }

    /** The loss that the layer's logits have; empty if it makes none. */
    Optional<Double> lossOfLogits() {
        return driven.logits(context, inputs).map(logits -> {
            try (logits) {
                return CrossEntropy.of(bench, context.batch(), logits);
            }
        });
    }

    /** What {@link #train} computes the gradient of: outputs times their gradients, plus the scaled loss and its scaled terms. */
    @Override
    public double objective() {
        Pass pass = evaluate();
        double sum = Fp64Context.GRADIENT_SCALE * pass.loss;
        for (var term : pass.terms.entrySet()) {
            sum += context.gradientScale(term.getKey()) * term.getValue();
        }
        for (int i = 0; i < pass.outputs.size(); i++) {
            double[] gradient = bench.read(outputGradients.get(i));
            double[] output = pass.outputs.get(i);
            sum += IntStream.range(0, output.length)
                    .mapToDouble(at -> gradient[at] * output[at])
                    .sum();
        }
        return sum;
    }

    private void zeroLoss() {
        bench.write(context.lossSum(), i -> 0);
        context.termSums().values().forEach(sum -> bench.write(sum, i -> 0));
    }

    private double sumOf(Tensor tensor) {
        return bench.read(tensor)[0];
    }

    private Map<LossTerm, Double> terms() {
        var terms = new HashMap<LossTerm, Double>();
        context.termSums().forEach((term, sum) -> terms.put(term, sumOf(sum)));
        return terms;
    }

    private List<double[]> take(List<Tensor> tensors) {
        var values = new ArrayList<double[]>();
        for (Tensor tensor : tensors) {
            values.add(bench.read(tensor));
            tensor.close();
        }
        return values;
    }

    @Override
    public Bench bench() {
        return bench;
    }

    @Override
    public void close() {
        scope.close();
    }
}
