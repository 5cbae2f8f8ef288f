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
import io.hirundo.testkit.trial.AloneWorld;
import io.hirundo.testkit.trial.CrossEntropy;
import io.hirundo.testkit.trial.Objective;
import io.hirundo.testkit.trial.TrialContext;
import io.hirundo.testkit.trial.TrialScope;
import io.hirundo.testkit.trial.TrialValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** A layer on one rank of a layout, with its inputs and the gradients of its outputs. */
final class LayerTrial implements Objective, AutoCloseable {
    private final Bench bench;
    private final LayerSpec<?> spec;
    private final SplitRows split;
    private final TrialScope scope;
    private final TrialContext context;
    private final Driven<?> driven;
    private final List<Tensor> inputs;
    private final List<Tensor> outputGradients;

    private record Driven<L extends Layer>(L layer, LayerDrive<L> drive) {
        List<Tensor> forward(TrialContext context, List<Tensor> inputs) {
            return drive.forward(layer, context, inputs);
        }

        Optional<Tensor> logits(TrialContext context, List<Tensor> inputs) {
            return drive.logits(layer, context, inputs);
        }

        LayerDrive.Passed train(TrialContext context, List<Tensor> inputs, List<Tensor> outputGradients) {
            return drive.train(layer, context, inputs, outputGradients);
        }
    }

    /** What a training pass made, and what it added to the loss and to each of its terms. */
    record Pass(List<double[]> outputs, List<double[]> inputGradients, double loss, Map<LossTerm, Double> terms) {}

    private LayerTrial(
            LayerOffer offer,
            SplitLayout layout,
            LayerProvider<?, ?> provider,
            Bench bench,
            Device device,
            World world,
            Packing packing) {
        this.bench = bench;
        spec = offer.layer().spec();
        split = SplitRows.of(layout, world.rank(), offer.contextParallel());
        scope = new TrialScope(bench, device, layout.sharding(), world, offer.contextParallel());
        driven = driven(offer.layer(), provider, scope);
        context = new TrialContext(device, bench.queue(), batch(packing), sum(), termSums(), Recompute.NONE);
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
    static LayerTrial alone(LayerOffer offer, Bench bench) {
        return alone(offer, bench, bench.device(), Packing.ONE_DOCUMENT);
    }

    /** {@code device}: the bench's, or one that counts its calls. */
    static LayerTrial alone(LayerOffer offer, Bench bench, Device device, Packing packing) {
        SplitLayout layout = SplitLayout.alone(offer);
        LayerProvider<?, ?> provider = layout.provider(offer)
                .orElseThrow(() -> new AssertionError(
                        "none of providers() makes " + offer.layer().spec().name() + " run"));
        return new LayerTrial(offer, layout, provider, bench, device, new AloneWorld(device), packing);
    }

    static LayerTrial of(
            LayerOffer offer,
            SplitLayout layout,
            LayerProvider<?, ?> provider,
            Bench bench,
            World world,
            Packing packing) {
        return new LayerTrial(offer, layout, provider, bench, bench.device(), world, packing);
    }

    /** A provider of a kind of layer makes the running layers of that kind. */
    @SuppressWarnings("unchecked")
    private static <L extends Layer, S extends LayerSpec<L>> Driven<L> driven(
            LayerCase<L> of, LayerProvider<?, ?> provider, TrialScope scope) {
        L layer = ((LayerProvider<L, S>) provider).create((S) of.spec(), scope);
        return new Driven<>(layer, of.drive());
    }

    private MicroBatch batch(Packing packing) {
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
                packing == Packing.ONE_DOCUMENT ? Optional.empty() : Optional.of(integers(packing::documentStart)));
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
                    activation, TrialValues.tensor(name + i, Math.toIntExact(tokens * activation.channels())));
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
        double sum = TrialContext.GRADIENT_SCALE * pass.loss;
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
