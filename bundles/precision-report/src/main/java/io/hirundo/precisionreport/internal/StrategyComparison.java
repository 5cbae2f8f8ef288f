package io.hirundo.precisionreport.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs all installed strategies on the same operands: earlier microbatches build up history, the last one is compared. */
final class StrategyComparison implements RunInspector.Visitor {
    private static final String KIND = "precision";

    private final StrategyRegistry registry;
    private final int lastMicrobatch;
    private final List<Contender> contenders = new ArrayList<>();
    private final Map<String, String> leftOut = new TreeMap<>();
    private final List<LayerReport> layers = new ArrayList<>();
    private RunInspector.Inspected inspected;

    /** {@code microbatches}: the number that will be visited. */
    StrategyComparison(StrategyRegistry registry, int microbatches) {
        this.registry = registry;
        this.lastMicrobatch = microbatches - 1;
    }

    @Override
    public void begin(RunInspector.Inspected run) {
        inspected = run;
        registry.list().stream()
                .filter(info -> info.kind().equals(KIND))
                .map(StrategyInfo::name)
                .sorted()
                .forEach(this::add);
    }

    /** With default options; the run's own precision with the run's options. */
    private void add(String name) {
        Choice choice = inspected.precision().name().equals(name) ? inspected.precision() : Choice.of(name);
        try {
            var strategy = registry.create(PrecisionStrategy.class, choice, KIND);
            if (strategy.parameterType() == DType.FP32) {
                contenders.add(new Contender(name, strategy.forModel(inspected.model())));
            } else {
                leftOut.put(name, "its parameters are " + strategy.parameterType());
            }
        } catch (ConfigurationException cannot) {
            // The strategy may need an option, or another model.
            leftOut.put(name, cannot.getMessage());
        }
    }

    @Override
    public void operands(int microbatch, RunInspector.LayerOperands layer) {
        if (microbatch < lastMicrobatch) {
            withEach(layer, contender -> contender.remember(layer));
            return;
        }
        GemmResults exact = GemmResults.exact(layer);
        var strategies = new ArrayList<Figures>();
        withEach(layer, contender -> strategies.add(contender.figures(layer, exact)));
        var operands = new EnumMap<Operand, ExponentHistogram>(Operand.class);
        operands.put(Operand.INPUT, histogram(layer, layer.xTK()));
        operands.put(Operand.WEIGHT, histogram(layer, layer.wNK()));
        operands.put(Operand.OUTPUT_GRADIENT, histogram(layer, layer.dyTN()));
        // The backward starts with the last layer.
        layers.addFirst(new LayerReport(layer.shape(), layer.xTK().shape().rows(), operands, strategies));
    }

    /** Drops all strategies' state before the device closes. */
    @Override
    public void end() {
        contenders.forEach(Contender::close);
        contenders.stream().map(Contender::name).forEach(this::leaveOutIfInNameOnly);
    }

    /** Skips a strategy that computes all layers in another one: its errors would be the other's. */
    private void leaveOutIfInNameOnly(String strategy) {
        var all = layers.stream()
                .flatMap(layer -> layer.strategies().stream())
                .filter(it -> it.strategy().equals(strategy))
                .toList();
        if (!all.isEmpty() && all.stream().allMatch(Figures::isInNameOnly)) {
            String instead = all.stream().map(Figures::gemms).distinct().collect(Collectors.joining("; "));
            leftOut.put(strategy, "it computes every layer of this model in " + instead);
        }
    }

    private interface Work {
        void accept(Contender contender);
    }

    /** Drops a strategy that fails, with the reason. */
    private void withEach(RunInspector.LayerOperands layer, Work work) {
        for (Iterator<Contender> each = contenders.iterator(); each.hasNext(); ) {
            Contender contender = each.next();
            try {
                work.accept(contender);
            } catch (ConfigurationException cannot) {
                leftOut.put(contender.name(), layer.shape().name() + ": " + cannot.getMessage());
                contender.close();
                each.remove();
            }
        }
    }

    private static ExponentHistogram histogram(RunInspector.LayerOperands layer, Tensor tensor) {
        try (Typed typed = Typed.of(layer, tensor, tensor.dtype() == DType.BF16 ? DType.BF16 : DType.FP32)) {
            return ExponentHistogram.of(HostValues.read(layer.device(), layer.queue(), typed.tensor()));
        }
    }

    RunInspector.Inspected inspected() {
        return inspected;
    }

    /** In forward order. */
    List<LayerReport> layers() {
        return List.copyOf(layers);
    }

    /** Strategies not compared, or not in all layers, with the reasons; in alphabetical order. */
    Map<String, String> leftOut() {
        return Collections.unmodifiableMap(leftOut);
    }
}
