package io.hirundo.regress.mutations;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;

/** Optimizers, schedules and data sources with a fault. */
final class Planted {
    private static final int ORDER_SHIFT = 3;

    private Planted() {}

    static Offer epsilon(double epsilon) {
        return adamW(options -> new AdamWOptions(options.beta1(), options.beta2(), epsilon, options.weightDecay()));
    }

    static Offer beta2(double beta2) {
        return adamW(options -> new AdamWOptions(options.beta1(), beta2, options.epsilon(), options.weightDecay()));
    }

    private static Offer adamW(UnaryOperator<AdamWOptions> change) {
        var sound = new AdamWFactory();
        return Faults.offer("optimizer", "adamw", new Changed<>(sound, options -> sound.create(change.apply(options))));
    }

    static Offer decayOfVectors() {
        return optimizer((run, parameters, device) -> (queue, step, rate, coefficient) -> {
            run.step(queue, step, rate, coefficient);
            parameters.stream()
                    .filter(each -> !each.spec().isMatrix())
                    .forEach(each -> device.kernels()
                            .elementwise()
                            .scale(queue, each.value(), 1 - rate * new AdamWOptions().weightDecay()));
        });
    }

    static Offer laterStep() {
        return optimizer((run, parameters, device) ->
                (queue, step, rate, coefficient) -> run.step(queue, step + 1000, rate, coefficient));
    }

    private interface Step {
        void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1);
    }

    private interface Stepping {
        Step of(OptimizerRun run, List<Parameter> parameters, Device device);
    }

    private static Offer optimizer(Stepping stepping) {
        var sound = new AdamWFactory();
        return Faults.offer(
                "optimizer",
                "adamw",
                new Changed<AdamWOptions, Optimizer>(
                        sound,
                        options -> (device, parameters) ->
                                wrapped(sound.create(options).bind(device, parameters), parameters, device, stepping)));
    }

    private static OptimizerRun wrapped(
            OptimizerRun run, List<Parameter> parameters, Device device, Stepping stepping) {
        Step step = stepping.of(run, parameters, device);
        return new OptimizerRun() {
            @Override
            public void step(Queue queue, long number, double learningRate, Tensor gradientCoefficient1) {
                step.step(queue, number, learningRate, gradientCoefficient1);
            }

            @Override
            public List<State> state() {
                return run.state();
            }

            @Override
            public void close() {
                run.close();
            }
        };
    }

    static Offer nextRate() {
        var sound = new ConstantFactory();
        return Faults.offer("learning-rate", "constant", new Changed<>(sound, options -> {
            LearningRateSchedule rates = sound.create(options);
            return (LearningRateSchedule) (step, steps) -> rates.at(step + 1, steps);
        }));
    }

    static Offer otherOrder() {
        return data((sound, split, index, into) -> sound.read(split, (index + ORDER_SHIFT) % sound.count(split), into));
    }

    /** Repeats the label before the last one. */
    static Offer wrongLabel() {
        return data((sound, split, index, into) -> {
            sound.read(split, index, into);
            into[into.length - 1] = into[into.length - 2];
        });
    }

    private interface Reading {
        void read(SampleSet sound, SampleSet.Split split, long index, int[] into);
    }

    private static Offer data(Reading reading) {
        var sound = new SyntheticFactory();
        return Faults.offer("data", "synthetic", new Changed<>(sound, options -> new DataSource() {
            @Override
            public SampleSet open(SampleRequest request) {
                return read(sound.create(options).open(request), reading);
            }
        }));
    }

    private static SampleSet read(SampleSet sound, Reading reading) {
        return new SampleSet() {
            @Override
            public long count(Split split) {
                return sound.count(split);
            }

            @Override
            public void read(Split split, long index, int[] into) {
                reading.read(sound, split, index, into);
            }

            @Override
            public int vocabularyBound() {
                return sound.vocabularyBound();
            }

            @Override
            public String describe() {
                return sound.describe();
            }

            @Override
            public void close() {
                sound.close();
            }
        };
    }

    /** A strategy with the options of a correct one, created in another way. */
    private record Changed<O extends Record, S>(StrategyFactory<O, S> sound, Making<O, S> making)
            implements StrategyFactory<O, S> {
        @Override
        public Class<O> optionsType() {
            return sound.optionsType();
        }

        @Override
        public Class<S> contract() {
            return sound.contract();
        }

        @Override
        public S create(O options) {
            return making.create(options);
        }
    }

    private interface Making<O extends Record, S> {
        S create(O options);
    }
}
