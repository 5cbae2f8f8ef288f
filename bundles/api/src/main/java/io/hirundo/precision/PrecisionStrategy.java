package io.hirundo.precision;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.model.ModelSpec;
import io.hirundo.tensor.DType;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** How a training computes: data types and linear layers. Strategy kind {@code precision}. Thread-safe. */
@ConsumerType
public interface PrecisionStrategy {
  /** Of parameters and their gradients. */
  DType parameterType();

  /** Of activations between kernels. */
  DType activationType();

  /** Whether a linear layer of this shape can be computed on the device; never a silent fallback. */
  Support supports(DeviceInfo device, LinearShape shape);

  /**
   * The products of one linear layer on one device. The caller closes them.
   *
   * @throws io.hirundo.ConfigurationException where the device lacks the kernels; says what to choose instead
   */
  LinearMath bind(Device device, LinearShape shape);

  /**
   * The same where other ranks may have other parts of the layer's weight. To be overridden where more of a weight than a rank
   * has decides how it is rounded. {@code io.hirundo.testkit.PrecisionContract} tests it where anybody is asked.
   *
   * @param sharers to ask while a weight is prepared, and at no other time
   */
  default LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
    return bind(device, shape);
  }

  /**
   * The strategy for the layers of this model, where the place of a layer decides how it is computed; otherwise itself. Asked
   * before {@link #supports} and {@link #bind}.
   */
  default PrecisionStrategy forModel(ModelSpec model) {
    return this;
  }

  /**
   * Whether ranks may have pieces of a sequence, of so many tokens that follow each other; a layer sees some of them side by
   * side. Not asked where every rank has whole sequences. Asked before {@link #bind}.
   */
  default Support supportsPieces(long tokens) {
    return Support.YES;
  }

  /**
   * How the products of a layer are computed, and why where that is not what the strategy is named for: {@code bf16: its 8
   * inputs are no multiple of 16}. Told once, of layers with the same words together. Empty where the name says all.
   */
  default String describe(LinearShape shape) {
    return "";
  }

  /**
   * How closely it follows exact products; a run may hold it to less, never to more. A finite bound of the output is also added to
   * what a model that is loaded or written may be off ({@code model.parityTolerance}).
   */
  default ParityBound parity() {
    return ParityBound.NONE;
  }

  /**
   * How the stages of a pipeline hand on activations and gradients where that is to take fewer bits; empty where they go as they
   * are, with the same numbers as on one rank.
   */
  default Optional<MessageCoding> betweenStages(Device device) {
    return Optional.empty();
  }
}
