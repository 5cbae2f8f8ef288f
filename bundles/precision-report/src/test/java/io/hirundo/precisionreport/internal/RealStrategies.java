package io.hirundo.precisionreport.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8pertensor.internal.Fp8CurrentFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The real strategies, with their defaults. */
record RealStrategies(Map<String, StrategyFactory<?, ?>> precisions) implements StrategyRegistry {
    static RealStrategies of() {
        return new RealStrategies(new TreeMap<>(Map.of(
                "fp32",
                new Fp32Factory(),
                "fp64",
                new Fp64Factory(),
                "bf16",
                new Bf16Factory(),
                "fp8-blockwise",
                new Fp8BlockwiseFactory(),
                "fp8-current",
                new Fp8CurrentFactory(),
                "fp8-delayed",
                new Fp8DelayedFactory())));
    }

    @Override
    public List<StrategyInfo> list() {
        var all = new ArrayList<StrategyInfo>();
        precisions.keySet().forEach(name -> all.add(new StrategyInfo("precision", name, "test", Record.class)));
        all.add(new StrategyInfo("device", "cpu", "test", Record.class));
        return all;
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        if (choice.name().equals("needy")) {
            throw new ConfigurationException("precision.options.table: is required");
        }
        return contract.cast(
                choice.name().equals("weights") ? new RoundsWeights() : made(precisions.get(choice.name())));
    }

    /** These and others. */
    RealStrategies with(String... names) {
        var all = new TreeMap<>(precisions);
        for (String name : names) {
            all.put(name, new Bf16Factory());
        }
        return new RealStrategies(all);
    }

    private static <O extends Record> Object made(StrategyFactory<O, ?> factory) {
        try {
            return factory.create(factory.optionsType().getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
