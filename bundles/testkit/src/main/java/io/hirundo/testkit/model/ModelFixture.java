package io.hirundo.testkit.model;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerProviders;
import io.hirundo.parallel.Sharding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.fixture.AloneWorld;
import io.hirundo.testkit.fixture.CrossEntropy;
import io.hirundo.testkit.fixture.Fp64Context;
import io.hirundo.testkit.fixture.Fp64Scope;
import io.hirundo.testkit.fixture.Objective;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

/** A model on one rank with a microbatch of two sequences. */
final class ModelFixture implements Objective, LayerFactory, AutoCloseable {
    private static final int SEQUENCES = 2;
    private static final int SEQUENCE_TOKENS = 4;
    private static final int TOKENS = SEQUENCES * SEQUENCE_TOKENS;

    private final Bench bench;
    private final List<LayerProvider<?, ?>> providers = new ArrayList<>();
    private final Fp64Scope scope;
    private final Fp64Context context;
    private final List<Block> blocks;
    private final Set<String> leftInSaved = new TreeSet<>();

    ModelFixture(ModelOffer offer, Bench bench, Recompute recompute) {
        this.bench = bench;
        Architecture architecture = offer.architecture();
        if (architecture instanceof LayerProviders own) {
            providers.addAll(own.providers());
        }
        providers.addAll(offer.providers());
        var world = new AloneWorld(bench.device());
        scope = new Fp64Scope(bench, bench.device(), Sharding.NONE, world, Optional.empty());
        MicroBatch batch = batch(bench, architecture.describe().vocabulary());
        context = new Fp64Context(
                bench.device(), bench.queue(), batch, bench.tensor(DType.FP64, i -> 0, 1), Map.of(), recompute);
        blocks = architecture.describe().blocks().stream()
                .map(block -> architecture.build(block, this))
                .toList();
    }

    private static MicroBatch batch(Bench bench, long vocabulary) {
        return new MicroBatch(
                SEQUENCES,
                SEQUENCE_TOKENS,
                1,
                integers(bench, token -> (int) (token * 5 % vocabulary)),
                integers(bench, token -> (int) ((token * 3 + 1) % vocabulary)),
                bench.tensor(DType.FP32, token -> token == 3 ? 0 : 1, TOKENS),
                integers(bench, token -> token % SEQUENCE_TOKENS),
                Optional.empty());
    }

    private static Tensor integers(Bench bench, IntUnaryOperator ofToken) {
        return bench.tensor(DType.INT32, i -> ofToken.applyAsInt((int) i), TOKENS);
    }

    @Override
    public <L extends Layer> L create(LayerSpec<L> spec) {
        LayerProvider<?, ?> provider = providers.stream()
                .filter(one -> one.specType().isInstance(spec))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no provider makes layer " + spec.name() + " of kind "
                        + spec.getClass().getSimpleName() + " run"));
        return create(provider, spec);
    }

    /** A provider of a kind of layer makes the running layers of that kind. */
    @SuppressWarnings("unchecked")
    private <L extends Layer, S extends LayerSpec<L>> L create(LayerProvider<?, ?> provider, LayerSpec<L> spec) {
        return ((LayerProvider<L, S>) provider).create((S) spec, scope);
    }

    List<Parameter> parameters() {
        return scope.parameters();
    }

    /** The gradients after a training step, by the name of their parameter. */
    Map<String, double[]> train(boolean inHalves) {
        parameters().forEach(parameter -> bench.write(parameter.gradient(), i -> 0));
        zeroLoss();
        var inputs = new ArrayList<Tensor>();
        var saved = new ArrayList<NamedTensors>();
        Tensor x = null;
        for (Block block : blocks) {
            inputs.add(x);
            saved.add(new NamedTensors());
            x = block.forward(context, x, isRecomputed(block) ? null : saved.getLast());
        }
        Tensor dy = null;
        for (int at = blocks.size() - 1; at >= 0; at--) {
            Tensor input = inputs.get(at);
            NamedTensors of = saved.get(at);
            if (isRecomputed(blocks.get(at))) {
                blocks.get(at).forward(context, input, of).close();
            }
            if (inHalves) {
                dy = blocks.get(at).backwardInput(context, input, dy, of);
                blocks.get(at).backwardWeight(context, input, of);
            } else {
                dy = blocks.get(at).backward(context, input, dy, of);
            }
            leftInSaved.addAll(of.names());
            of.close();
            if (input != null) {
                input.close();
            }
        }
        var gradients = new TreeMap<String, double[]>();
        parameters().forEach(parameter -> gradients.put(parameter.spec().name(), bench.read(parameter.gradient())));
        return gradients;
    }

    /** As the trainer does: not the embedding, which has no input, nor the head, which adds to the loss. */
    private boolean isRecomputed(Block block) {
        return context.recompute() == Recompute.FULL && block != blocks.getFirst() && block != blocks.getLast();
    }

    /** Names of activations that backwards have left in {@code saved}. */
    Set<String> leftInSaved() {
        return Collections.unmodifiableSet(leftInSaved);
    }

    /** The loss of {@link #train}. */
    double loss() {
        return bench.read(context.lossSum())[0];
    }

    /** The loss without backward. */
    double evaluate() {
        zeroLoss();
        try (Tensor hTC = beforeHead()) {
            blocks.getLast().forward(context, hTC, null);
        }
        return loss();
    }

    /** What {@link #evaluate} returns, computed from logits. */
    double lossOfLogits() {
        try (Tensor hTC = beforeHead();
                Tensor logitsTV = blocks.getLast().logits(context, hTC)) {
            return CrossEntropy.of(bench, context.batch(), logitsTV);
        }
    }

    /** The input of the last block; the caller closes it. */
    private Tensor beforeHead() {
        Tensor x = null;
        for (Block block : blocks.subList(0, blocks.size() - 1)) {
            Tensor y = block.forward(context, x, null);
            if (x != null) {
                x.close();
            }
            x = y;
        }
        return x;
    }

    private void zeroLoss() {
        bench.write(context.lossSum(), i -> 0);
    }

    @Override
    public double objective() {
        return Fp64Context.GRADIENT_SCALE * evaluate();
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
