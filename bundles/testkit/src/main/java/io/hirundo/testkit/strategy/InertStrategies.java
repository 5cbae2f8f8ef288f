package io.hirundo.testkit.strategy;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Architecture;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.Setting;
import io.hirundo.strategy.StrategyFactory;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;

/** Strategies without function, under the default names of a configuration. */
public final class InertStrategies {
    private InertStrategies() {}

    /** A factory, and what the annotation of a component would say about it. */
    public record Named(String kind, String name, StrategyFactory<?, ?> factory) {}

    /** Options of a learning rate. */
    public record Rate(
            @Setting(value = "Highest rate", min = Double.MIN_VALUE, max = 1)
            double peak,

            @Setting(value = "Steps of the warm-up", min = 0)
            long warmupSteps) {
        public Rate {
            if (peak == 0.125) {
                throw new ConfigurationException("peak cannot be an eighth");
            }
        }

        /** The defaults. */
        public Rate() {
            this(3e-4, 10);
        }
    }

    /** Options of a data source with nested sources. */
    public record Blend(
            @Setting(value = "What is blended", required = true) @ChoiceOf(DataSource.class)
            List<Choice> parts,

            @Setting(value = "Seed", min = 0) int seed) {
        /** The defaults. */
        public Blend() {
            this(List.of(), 7);
        }
    }

    /** Options of a data source with a mandatory option. */
    public record Files(
            @Setting(value = "Path without the ending", required = true)
            String prefix,

            @Setting(
                    value = "Part",
                    allowed = {"all", "half"})
            String part) {
        /** The defaults. */
        public Files() {
            this(null, "all");
        }
    }

    private record Factory<O extends Record, S>(Class<O> optionsType, Class<S> contract, Function<O, S> maker)
            implements StrategyFactory<O, S> {
        @Override
        public S create(O options) {
            return maker.apply(options);
        }
    }

    /** A factory of strategies whose toString returns their options, and that do nothing else. */
    public static <O extends Record, S> StrategyFactory<O, S> factory(Class<S> contract, Class<O> options) {
        return new Factory<>(options, contract, given -> proxy(contract, given));
    }

    private static <S> S proxy(Class<S> contract, Record options) {
        return contract.cast(Proxy.newProxyInstance(
                contract.getClassLoader(), new Class<?>[] {contract}, (self, method, arguments) -> {
                    if (method.getName().equals("toString")) {
                        return options.toString();
                    }
                    throw new UnsupportedOperationException(method.toString());
                }));
    }

    private static <O extends Record, S> Named named(String kind, String name, Class<S> contract, Class<O> options) {
        return new Named(kind, name, factory(contract, options));
    }

    /** One of each kind at least: a default configuration finds all that it names. */
    public static List<Named> all() {
        return List.of(
                named("device", "cpu", ComputeBackend.class, NoOptions.class),
                named("device", "meta", ComputeBackend.class, NoOptions.class),
                named("precision", "fp32", PrecisionStrategy.class, NoOptions.class),
                named("architecture", "llama", Architecture.class, NoOptions.class),
                named("model-format", "huggingface", ModelFormat.class, NoOptions.class),
                named("fabric", "local", Fabric.class, NoOptions.class),
                named("schedule", "1f1b", PipelineSchedule.class, NoOptions.class),
                named("tensor-parallel", "column-row", TensorParallel.class, NoOptions.class),
                named("context-parallel", "ring", ContextParallel.class, NoOptions.class),
                named("data-parallel", "zero1", DataParallel.class, NoOptions.class),
                named("optimizer", "adamw", Optimizer.class, NoOptions.class),
                named("learning-rate", "cosine", LearningRateSchedule.class, Rate.class),
                named("learning-rate", "constant", LearningRateSchedule.class, Rate.class),
                named("data", "indexed", DataSource.class, Files.class),
                named("data", "blend", DataSource.class, Blend.class),
                named("tokenizer", "huggingface", Tokenizer.class, Files.class),
                named("checkpoint", "sync", CheckpointStrategy.class, NoOptions.class),
                named("monitor", "console", TrainingListener.class, NoOptions.class),
                named("monitor", "jsonl", TrainingListener.class, NoOptions.class));
    }
}
