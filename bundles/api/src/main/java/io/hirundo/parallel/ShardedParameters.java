package io.hirundo.parallel;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.model.Parameter;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The parameters of one rank with their memory. All ranks of the group make the same calls in the same order. Belongs to the
 * rank's thread.
 *
 * <p>A step: {@link #zeroGradients}; for every block and piece of work {@link #before}, the work, {@link #after}; {@link
 * #gradientReady} for every parameter; {@link #finishGradients}; the optimizer updates {@link #owned}; {@link #weightsChanged}.
 */
@ConsumerType
public interface ShardedParameters extends AutoCloseable {
  /** Every parameter once, in the order of declaration. Its value is there between {@link #before} and {@link #after}. */
  List<Parameter> parameters();

  /**
   * What this rank keeps up to date: parameters or runs of their elements that no other rank of the group owns. Their
   * gradients are sums over the group between {@link #finishGradients} and {@link #zeroGradients}.
   */
  List<Parameter> owned();

  /** Takes memory for gradients; a model that only answers has none. */
  void allocateGradients();

  void zeroGradients(Queue queue);

  /**
   * To be called before work on a block, and before its weights are looked at.
   *
   * @param block index, as given to {@link DataParallel#bind}
   * @param kind what is about to be done
   * @return whether values have changed since the block's last call, so that what was prepared from them is stale
   */
  boolean before(Queue queue, int block, Action.Kind kind);

  /**
   * Weights that may come as codes from now on: what these names had before is replaced, other weights come as they are. A
   * strategy may leave it at that. All ranks must do the same, between two steps. The codings are used until the next call.
   *
   * @param codings of weights of which nobody reads the {@link Parameter#value}
   */
  default void encode(Map<String, WeightCoding> codings) {}

  /**
   * The weight of this name as it has come, between {@link #before} and {@link #after} when the former has said that it is new.
   * Empty where it has come as the {@link Parameter#value}; where it has not, there is no value.
   */
  default Optional<CodedWeight> coded(String name) {
    return Optional.empty();
  }

  /** To be called after it. */
  void after(Queue queue, int block, Action.Kind kind);

  /** Whether {@link #gradientReady} is called for every microbatch; otherwise for the last only, with sums over all. */
  default boolean reducesEveryMicrobatch() {
    return false;
  }

  /**
   * This rank has found its part of a parameter's gradient; nothing more is added to it.
   *
   * @param before what must have ended first, sums over {@link io.hirundo.model.Replicas} for instance
   */
  void gradientReady(Queue queue, Parameter parameter, List<Pending> before);

  /** Later work of the queue finds the gradients of {@link #owned} whole. */
  void finishGradients(Queue queue);

  /** The values of {@link #owned} have changed on every rank of the group. */
  void weightsChanged(Queue queue);

  /** Gives the memory back. */
  @Override
  void close();
}
