package io.hirundo.lib.engine.strategy;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.Architecture;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Everything that a configuration chose, created but not opened: the immutable snapshot that a run uses. The caller that resolved
 * it closes it.
 *
 * @param compute device and precision
 * @param parallel how work is sharded over ranks
 * @param model the model to train
 * @param step how weights are updated
 * @param data training data
 * @param outcome monitors and checkpoints
 */
public record Strategies(Compute compute, Parallel parallel, Model model, Step step, Data data, Outcome outcome)
        implements AutoCloseable {
    /**
     * Device and precision.
     *
     * @param device as configured, without the kernels of other bundles
     * @param kernels of bundles, which complete it
     */
    public record Compute(ComputeBackend device, PrecisionStrategy precision, KernelChoice kernels) {
        /** Without kernels of bundles. */
        public Compute(ComputeBackend device, PrecisionStrategy precision) {
            this(device, precision, KernelChoice.of(device, List.of()));
        }

        /** What ranks open: the device with all kernels. */
        public ComputeBackend backend() {
            return kernels.complete(device);
        }

        /** A copy with another precision. */
        public Compute with(PrecisionStrategy other) {
            return new Compute(device, other, kernels);
        }
    }

    /** How work is sharded over ranks. */
    public record Parallel(
            Fabric fabric,
            PipelineSchedule schedule,
            TensorParallel tensor,
            ContextParallel context,
            DataParallel data) {
        /** Of those that a configuration names. */
        public static Parallel of(StrategySet chosen) {
            return new Parallel(
                    chosen.get(Fabric.class),
                    chosen.get(PipelineSchedule.class),
                    chosen.get(TensorParallel.class),
                    chosen.get(ContextParallel.class),
                    chosen.get(DataParallel.class));
        }

        /** Which axes of a mesh split which dimensions. */
        public Sharding sharding(Mesh mesh) {
            return Sharding.of(mesh, mesh.size(Axis.TENSOR) > 1 ? tensor.splits() : Set.of());
        }
    }

    /**
     * The model to train.
     *
     * @param choice the architecture's name and options, saved with the model
     * @param format that models are read in; empty for none
     * @param exportFormat that the trained model is written in; empty for none
     * @param notes metadata of the model that the run starts from
     */
    public record Model(
            Architecture architecture,
            Choice choice,
            Optional<ModelFormat> format,
            Optional<ModelFormat> exportFormat,
            ModelNotes notes) {
        public Model(Architecture architecture, Choice choice, Optional<ModelFormat> format) {
            this(architecture, choice, format, format, ModelNotes.NONE);
        }
    }

    /**
     * How weights are updated.
     *
     * @param updating names of installed optimizers that update weights of a dtype, for messages
     */
    public record Step(Optimizer optimizer, LearningRateSchedule learningRate, Function<DType, List<String>> updating) {
        /** Where no other optimizer is known. */
        public Step(Optimizer optimizer, LearningRateSchedule learningRate) {
            this(optimizer, learningRate, _ -> List.of());
        }

        /** Of those that a configuration names. */
        public static Step of(StrategySet chosen, Function<DType, List<String>> updating) {
            return new Step(chosen.get(Optimizer.class), chosen.get(LearningRateSchedule.class), updating);
        }
    }

    /**
     * Training data.
     *
     * @param tokenizer exported with the model; empty for none
     * @param inherited exported where there is no {@code tokenizer}, if it can be read: the one of {@code model.from}
     */
    public record Data(
            DataSource source,
            Map<String, DataSource> watched,
            Optional<Tokenizer> tokenizer,
            Optional<Tokenizer> inherited) {
        /** Without an inherited tokenizer. */
        public Data(DataSource source, Map<String, DataSource> watched, Optional<Tokenizer> tokenizer) {
            this(source, watched, tokenizer, Optional.empty());
        }
    }

    /**
     * Monitors and checkpoints.
     *
     * @param checkpoint how state is saved; empty for never
     * @param store for remote copies; empty for none
     * @param monitors listeners
     */
    public record Outcome(
            Optional<CheckpointStrategy> checkpoint, Optional<CheckpointStore> store, List<TrainingListener> monitors) {
        /** Of those that a configuration names. */
        public static Outcome of(StrategySet chosen) {
            return new Outcome(
                    chosen.find(CheckpointStrategy.class),
                    chosen.find(CheckpointStore.class),
                    chosen.list(TrainingListener.class));
        }
    }

    /** A copy with another device, completed by the kernels that were chosen for this one. */
    public Strategies with(ComputeBackend device) {
        return new Strategies(
                new Compute(device, compute.precision(), compute.kernels()), parallel, model, step, data, outcome);
    }

    /** A copy without quantized transfers between ranks. */
    public Strategies withUnquantizedTransfers() {
        return new Strategies(
                compute.with(new UnquantizedTransfers(compute.precision())), parallel, model, step, data, outcome);
    }

    @Override
    public void close() {
        data.tokenizer().ifPresent(Tokenizer::close);
        data.inherited().ifPresent(Tokenizer::close);
    }
}
