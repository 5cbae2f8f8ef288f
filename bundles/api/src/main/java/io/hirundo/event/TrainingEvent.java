package io.hirundo.event;

import io.hirundo.checkpoint.CheckpointInfo;
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
 * Something that happened in a run. Open on purpose: kinds are added here, and bundles may have kinds of their own, so that a
 * listener switches over those it knows and has a default branch for the others. Events are immutable, and their {@code
 * toString} is what a log says of a kind that it does not know.
 */
@ConsumerType
public interface TrainingEvent {
  /**
   * Before the first step.
   *
   * @param name of the run
   * @param directory of the run: listeners write below it only
   * @param device that computes
   * @param mesh of ranks
   * @param stages who has what of the model, by rank of the pipeline axis
   * @param plan sizes of the run
   */
  record RunStarted(String name, Path directory, DeviceInfo device, Mesh mesh, List<Stage> stages, RunPlan plan)
      implements TrainingEvent {
    public RunStarted {
      stages = List.copyOf(stages);
    }
  }

  /**
   * A place on the pipeline axis, in words.
   *
   * @param ranks that are there: {@code 0-1, 4-5}
   * @param blocks of the model that they have: {@code model.embed_tokens to model.layers.3}
   */
  record Stage(String ranks, String blocks) {}

  /**
   * Sizes of a run.
   *
   * @param parameters of the model
   * @param firstStep first step to be done, above 1 in a resumed run
   * @param lastStep last step
   * @param tokensPerStep of the global batch
   * @param modelFlopsPerStep forward and backward, recomputation not counted
   */
  record RunPlan(long parameters, long firstStep, long lastStep, long tokensPerStep, double modelFlopsPerStep) {}

  /**
   * After each step.
   *
   * @param step counts from 1
   * @param metrics the step's figures
   * @param liveBytes memory in use at the end of the step, by category
   * @param peakBytes highest memory in use so far, by category
   */
  record StepCompleted(
      long step, StepMetrics metrics, Map<MemoryCategory, Long> liveBytes, Map<MemoryCategory, Long> peakBytes)
      implements TrainingEvent {}

  /**
   * After {@link StepCompleted}, of the first step with several ranks and whenever it differs from what was told last; but not for
   * steps that look at rounding, nor for those right after one, after an evaluation or after something was tried out, for which weights are
   * prepared anew.
   *
   * @param step that was done
   * @param bytes of the messages that the first rank of the process took part in, those of the larger operand, by collective and
   *     axes: {@code all-gather tensor}
   */
  record MessagesCounted(long step, Map<String, Long> bytes) implements TrainingEvent {
    public MessagesCounted {
      bytes = Collections.unmodifiableMap(new LinkedHashMap<>(bytes));
    }
  }

  /**
   * A step's figures.
   *
   * @param loss mean over the tokens that count, in nats
   * @param gradientNorm global, before clipping
   * @param learningRate of the step
   * @param tokens of the global batch
   * @param stepNanos from when one step's loss was known to the next's, evaluation and saving excluded; where a device still updates
   *     weights when the loss is known, that counts with the step after
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
   * After a step of which it was asked for: what the layers lost where operands of their products were rounded to few bits, over all
   * microbatches and ranks; what several ranks have counts as often. Nothing is told where nothing was rounded.
   *
   * @param step that was done
   * @param layers those whose operands are rounded; each once for every operand
   */
  record RoundingMeasured(long step, List<LayerRounding> layers) implements TrainingEvent {
    public RoundingMeasured {
      layers = List.copyOf(layers);
    }
  }

  /**
   * An operand of a layer's products.
   *
   * @param layer name of the weight
   * @param operand which one
   * @param loss that rounding it made
   */
  record LayerRounding(String layer, Operand operand, RoundingLoss loss) {}

  /**
   * After a step of which it was asked for: what the kernels of the process's first rank took. What other ranks
   * give the same device is not seen.
   *
   * @param step that was done
   * @param times of everything from the step's begin to its end
   */
  record KernelsTimed(long step, KernelTimes times) implements TrainingEvent {}

  /**
   * After a step of which it was asked for: small summaries of every tensor's gradient and weight, the same in every layout up to
   * rounding.
   *
   * @param step that was done
   * @param gradients summed over data ranks, before clipping; each published tensor once, in the order of the model
   * @param weights after the step's update, in the same order
   */
  record FingerprintsTaken(long step, List<TensorFingerprint> gradients, List<TensorFingerprint> weights) implements TrainingEvent {
    public FingerprintsTaken {
      gradients = List.copyOf(gradients);
      weights = List.copyOf(weights);
    }
  }

  /**
   * A fingerprint of one tensor: sums over its elements, in FP64.
   *
   * @param tensor published name
   * @param elements that were summed
   * @param sumOfSquares of the elements
   * @param projections sums of the elements with random signs, which depend on the tensor's name, the element's place in the whole
   *     tensor and the projection alone
   */
  record TensorFingerprint(String tensor, long elements, double sumOfSquares, List<Double> projections) {
    public TensorFingerprint {
      projections = List.copyOf(projections);
    }
  }

  /**
   * After a validation.
   *
   * @param step steps done
   * @param dataset what was looked at, {@code validation} for instance
   * @param loss mean over the tokens that count, in nats
   * @param tokens looked at
   */
  record EvaluationCompleted(long step, String dataset, double loss, long tokens) implements TrainingEvent {}

  /**
   * The model of a run continued a prompt ({@code samples.everySteps}).
   *
   * @param step steps done
   * @param prompt as configured
   * @param text that follows the prompt, several lines perhaps; may be empty, and holds whatever characters the model chose
   */
  record SampleWritten(long step, String prompt, String text) implements TrainingEvent {}

  /**
   * After a checkpoint became durable, which may be some steps after the one that it is of; or whole in memory, where it says that it
   * is kept there.
   *
   * @param checkpoint what was saved
   * @param saveNanos from the begin of the save until the run found that
   */
  record CheckpointSaved(CheckpointInfo checkpoint, long saveNanos) implements TrainingEvent {}

  /**
   * A checkpoint is being written while training goes on; {@link CheckpointSaved} follows. A save that the training waits for to its
   * end is not told of when it begins.
   *
   * @param step steps done
   * @param stallNanos from the begin of the save until training could go on
   */
  record CheckpointBegun(long step, long stallNanos) implements TrainingEvent {}

  /**
   * A resumed run does not go on from this checkpoint, though it is newer, because it cannot be loaded. Told after {@link RunStarted}.
   *
   * @param step steps done in the older one that the run goes on from
   * @param path of the one that was passed over
   * @param reason what is wrong with it
   */
  record CheckpointPassedOver(long step, Path path, String reason) implements TrainingEvent {}

  /**
   * A resumed run and its checkpoint do not have the same tensors, which was allowed by their names. Told after {@link RunStarted}.
   *
   * @param step steps done in the checkpoint
   * @param path of the checkpoint
   * @param missing tensors that it lacks, which have their initial values
   * @param unexpected tensors that only it has, which are left out
   */
  record CheckpointTakenInPart(long step, Path path, List<String> missing, List<String> unexpected) implements TrainingEvent {
    public CheckpointTakenInPart {
      missing = List.copyOf(missing);
      unexpected = List.copyOf(unexpected);
    }
  }

  /**
   * A checkpoint was copied to the store ({@code checkpoint.store}).
   *
   * @param step of the checkpoint, which may be some steps ago
   * @param place where the run's copies are: {@code s3://bucket/prefix/run}
   * @param bytes of its files
   * @param copyNanos that the copy took, in the background
   */
  record CheckpointCopied(long step, String place, long bytes, long copyNanos) implements TrainingEvent {}

  /**
   * A checkpoint was not copied to the store. The run goes on: the checkpoint itself is safe.
   *
   * @param step of the checkpoint
   * @param place where its copy would have been
   * @param reason and what comes of it
   */
  record CheckpointNotCopied(long step, String place, String reason) implements TrainingEvent {}

  /**
   * The run has ended but for a copy of a checkpoint; told every now and then.
   *
   * @param step of the checkpoint
   * @param place where its copy will be
   * @param doneBytes that are stored
   * @param bytes of all
   */
  record CheckpointCopying(long step, String place, long doneBytes, long bytes) implements TrainingEvent {}

  /**
   * A resumed run has taken its checkpoint from the store, because it had no other as new. Told after {@link RunStarted}.
   *
   * @param step of the checkpoint
   * @param path where it lies now
   * @param place where the copy is
   * @param bytes of its files
   * @param fetchNanos that it took
   */
  record CheckpointFetched(long step, Path path, String place, long bytes, long fetchNanos) implements TrainingEvent {}

  /**
   * The run's model was compared with what the files mean that it was loaded from, or written to, and passed.
   *
   * @param step steps done
   * @param model folder
   * @param difference largest difference of a probe's mean loss, as a part of the standard deviation of the logits
   * @param allowed largest that is accepted
   */
  record ModelCompared(long step, Path model, double difference, double allowed) implements TrainingEvent {}

  /**
   * Strategies were replaced between two steps, on all ranks.
   *
   * @param step steps done
   * @param changes what is different now: {@code precision: fp32 to bf16}
   * @param reason who wanted it, or why it happened by itself
   * @param parity what was found when old and new were compared; empty where they were not
   * @param pauseNanos from the end of the step to the moment when the next can begin
   */
  record StrategiesChanged(long step, List<String> changes, String reason, String parity, long pauseNanos)
      implements TrainingEvent {
    public StrategiesChanged {
      changes = List.copyOf(changes);
    }
  }

  /**
   * A change was refused; the run goes on as before.
   *
   * @param step steps done
   * @param wanted {@code path=value} each
   * @param reason and remedy
   */
  record ChangeRefused(long step, List<String> wanted, String reason) implements TrainingEvent {
    public ChangeRefused {
      wanted = List.copyOf(wanted);
    }
  }

  /**
   * After {@link RunStarted}, where the precision says how it computes which layers.
   *
   * @param lines of layers that are computed alike, one or more
   */
  record ProductsListed(List<String> lines) implements TrainingEvent {
    public ProductsListed {
      lines = List.copyOf(lines);
    }
  }

  /**
   * The audit ({@code audit.rate}) found an element that rounding does not explain. Told some steps after it was made.
   *
   * @param step that made it
   * @param rank that has it
   * @param operation {@code output}, {@code input gradient}, {@code weight gradient}, or a collective: {@code all-reduce}
   * @param place name of the layer's weight, or the axes of the collective's ranks
   * @param call which one of that step, of this operation at this place, counted from 0
   * @param row of the element in the result; 0 in a collective
   * @param column of the element in the result; its index in a collective's operand
   * @param expected in double precision, on the very operands of the operation
   * @param found in the result
   * @param bound largest difference that rounding explains; 0 where bits must be the same
   * @param replay what came of the same tile computed once more, in words
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
   * The run goes on from an earlier checkpoint ({@code audit.onFinding}); what was told of later steps is void.
   *
   * @param step of the checkpoint
   * @param from step after which the run went back
   * @param reason what the audit found
   */
  record RunRolledBack(long step, long from, String reason) implements TrainingEvent {}

  /** No step is done until {@link RunResumed}: somebody asked for it, or a strategy has gone. */
  record RunPaused(long step, String reason) implements TrainingEvent {}

  /** After {@link RunPaused}. */
  record RunResumed(long step, long pauseNanos) implements TrainingEvent {}

  /** After the last step, or after the user asked to stop and all was saved. */
  record RunFinished(long step, boolean interrupted) implements TrainingEvent {}

  /** Instead of {@link RunFinished}: the run ended with an error. */
  record RunFailed(long step, Throwable cause) implements TrainingEvent {}
}
