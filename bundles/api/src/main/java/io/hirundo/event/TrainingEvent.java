package io.hirundo.event;

import io.hirundo.device.DeviceInfo;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Mesh;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Something that happened in a run. Deliberately not sealed: new kinds are added here, and bundles may define their own.
 * Listeners switch over the kinds they know and need a default branch. Events are immutable. For unknown kinds the log prints
 * {@code toString}.
 */
@ConsumerType
public interface TrainingEvent {
    /**
     * Sent before the first step.
     *
     * @param name of the run
     * @param directory of the run; listeners may write below it only
     * @param device compute device
     * @param mesh of ranks
     * @param stages ranks and blocks of each pipeline stage, by pipeline rank
     * @param plan sizes of the run
     */
    record RunStarted(String name, Path directory, DeviceInfo device, Mesh mesh, List<Stage> stages, RunPlan plan)
            implements TrainingEvent {
        public RunStarted {
            stages = List.copyOf(stages);
        }
    }

    /**
     * A pipeline stage, as text.
     *
     * @param ranks for instance {@code 0-1, 4-5}
     * @param blocks for instance {@code model.embed_tokens to model.layers.3}
     */
    record Stage(String ranks, String blocks) {}

    /**
     * Sizes of a run.
     *
     * @param parameters of the model
     * @param firstStep first step to run; above 1 in a resumed run
     * @param lastStep last step
     * @param tokensPerStep of the global batch
     * @param modelFlopsPerStep forward and backward, without recomputation
     */
    record RunPlan(long parameters, long firstStep, long lastStep, long tokensPerStep, double modelFlopsPerStep) {}

    /**
     * Step report, sent after each step.
     *
     * @param step from 1
     * @param metrics of the step
     * @param liveBytes memory in use at the end of the step, by category
     * @param peakBytes peak memory so far, by category
     */
    record StepCompleted(
            long step, StepMetrics metrics, Map<MemoryCategory, Long> liveBytes, Map<MemoryCategory, Long> peakBytes)
            implements TrainingEvent {}

    /**
     * Communication volume. Sent after {@link StepCompleted} of the first step with several ranks, and whenever it differs from the
     * last report. Not sent for steps that measure quantization error, nor right after such a step, an evaluation or a parity
     * check, because those prepare weights again.
     *
     * @param step completed step
     * @param bytes of the collectives of the process's first rank, counting the larger operand, by collective and axes: {@code
     *     all-gather tensor}
     */
    record MessagesCounted(long step, Map<String, Long> bytes) implements TrainingEvent {
        public MessagesCounted {
            bytes = Collections.unmodifiableMap(new LinkedHashMap<>(bytes));
        }
    }

    /**
     * Metrics of a step.
     *
     * @param loss mean over unmasked tokens, in nats
     * @param gradientNorm global, before clipping
     * @param learningRate of the step
     * @param tokens of the global batch
     * @param stepNanos from the previous step's loss to this step's, without evaluation and saving; a weight update that still runs
     *     on the device when the loss is known counts toward the next step
     * @param modelFlops of the step
     */
    record StepMetrics(
            double loss, double gradientNorm, double learningRate, long tokens, long stepNanos, double modelFlops) {
        public double tokensPerSecond() {
            return tokens * 1e9 / stepNanos;
        }

        public double modelTflops() {
            return modelFlops / 1e3 / stepNanos;
        }
    }

    /**
     * Quantization error of the layers' operands, over all microbatches and ranks; replicas count once per rank. Sent on request,
     * and only if operands were quantized.
     *
     * @param step completed step
     * @param layers quantized operands, one entry per layer and operand
     */
    record RoundingMeasured(long step, List<LayerRounding> layers) implements TrainingEvent {
        public RoundingMeasured {
            layers = List.copyOf(layers);
        }
    }

    /**
     * Quantization error of one operand.
     *
     * @param layer name of the weight
     * @param operand which operand
     * @param loss its quantization error
     */
    record LayerRounding(String layer, Operand operand, RoundingLoss loss) {}

    /**
     * Kernel times of the process's first rank, sent on request. Kernels of other ranks on the same device are not included.
     *
     * @param step completed step
     * @param times from the step's start to its end
     */
    record KernelsTimed(long step, KernelTimes times) implements TrainingEvent {}

    /**
     * Fingerprints, sent on request: small summaries of every tensor's gradient and weight, equal in every layout up to rounding.
     *
     * @param step completed step
     * @param gradients all-reduced, before clipping; each published tensor once, in model order
     * @param weights after the step's update, in the same order
     */
    record FingerprintsTaken(long step, List<TensorFingerprint> gradients, List<TensorFingerprint> weights)
            implements TrainingEvent {
        public FingerprintsTaken {
            gradients = List.copyOf(gradients);
            weights = List.copyOf(weights);
        }
    }

    /**
     * Fingerprint of one tensor: sums over its elements, in FP64.
     *
     * @param tensor published name
     * @param elements number of elements
     * @param sumOfSquares of the elements
     * @param projections sums of the elements with pseudorandom signs. A sign depends only on the tensor's name, the element's
     *     index in the unsharded tensor and the projection
     */
    record TensorFingerprint(String tensor, long elements, double sumOfSquares, List<Double> projections) {
        public TensorFingerprint {
            projections = List.copyOf(projections);
        }
    }

    /**
     * Sent after a validation.
     *
     * @param step completed steps
     * @param dataset for instance {@code validation}
     * @param loss mean over unmasked tokens, in nats
     * @param tokens evaluated tokens
     */
    record EvaluationCompleted(long step, String dataset, double loss, long tokens) implements TrainingEvent {}

    /**
     * A text sample: the run's model continued a prompt ({@code samples.everySteps}).
     *
     * @param step completed steps
     * @param prompt as configured
     * @param text generated continuation; may be empty, have several lines, and contain any characters
     */
    record SampleWritten(long step, String prompt, String text) implements TrainingEvent {}

    /**
     * The run's model passed the parity check against the files that it was loaded from or exported to.
     *
     * @param step completed steps
     * @param model folder
     * @param difference largest difference of a probe's mean loss, relative to the standard deviation of the logits
     * @param allowed tolerance
     */
    record ModelCompared(long step, Path model, double difference, double allowed) implements TrainingEvent {}

    /**
     * Strategies were swapped between two steps, on all ranks.
     *
     * @param step completed steps
     * @param changes for instance {@code precision: fp32 to bf16}
     * @param reason who requested it, or why it happened automatically
     * @param parity result of the parity check; empty if there was none
     * @param pauseNanos from the end of the step until the next can start
     */
    record StrategiesChanged(long step, List<String> changes, String reason, String parity, long pauseNanos)
            implements TrainingEvent {
        public StrategiesChanged {
            changes = List.copyOf(changes);
        }
    }

    /**
     * A change request was rejected; the run continues unchanged.
     *
     * @param step completed steps
     * @param wanted {@code path=value} each
     * @param reason why, and what to do
     */
    record ChangeRejected(long step, List<String> wanted, String reason) implements TrainingEvent {
        public ChangeRejected {
            wanted = List.copyOf(wanted);
        }
    }

    /**
     * GEMM precision summary, sent after {@link RunStarted} if the precision describes its layers.
     *
     * @param lines one or more lines per group of layers with the same precision
     */
    record ProductsListed(List<String> lines) implements TrainingEvent {
        public ProductsListed {
            lines = List.copyOf(lines);
        }
    }

    /**
     * The audit ({@code audit.rate}) found an element that rounding error does not explain. Sent some steps later.
     *
     * @param step that computed it
     * @param rank that holds it
     * @param operation {@code output}, {@code input gradient}, {@code weight gradient}, or a collective: {@code all-reduce}
     * @param place name of the layer's weight, or the axes of the collective
     * @param call index of this operation at this place in the step, from 0
     * @param row of the element in the result; 0 for a collective
     * @param column of the element in the result; for a collective, the index in its operand
     * @param expected in FP64, from the operation's own operands
     * @param found in the result
     * @param bound largest difference that rounding error explains; 0 if results must be bitwise equal
     * @param replay what recomputing the tile showed, as text
     */
    record AuditFound(
            long step,
            int rank,
            String operation,
            String place,
            int call,
            long row,
            long column,
            double expected,
            double found,
            double bound,
            String replay)
            implements TrainingEvent {}

    /**
     * The run continues from an earlier checkpoint ({@code audit.onFinding}); events of later steps are void.
     *
     * @param step of the checkpoint
     * @param from step after which the run was rolled back
     * @param reason what the audit found
     */
    record RunRolledBack(long step, long from, String reason) implements TrainingEvent {}

    /** The run is paused until {@link RunResumed}, on request or because a strategy was uninstalled. */
    record RunPaused(long step, String reason) implements TrainingEvent {}

    /** Ends a {@link RunPaused}. */
    record RunResumed(long step, long pauseNanos) implements TrainingEvent {}

    /** Sent after the last step, or after a requested stop when everything is saved. */
    record RunFinished(long step, boolean interrupted) implements TrainingEvent {}

    /** Sent instead of {@link RunFinished}: the run ended with an error. */
    record RunFailed(long step, Throwable cause) implements TrainingEvent {}
}
