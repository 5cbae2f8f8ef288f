package io.hirundo.fp8blockwise.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.precision.support.StoredProducts;
import io.hirundo.tensor.DType;
import java.util.Optional;

/**
 * FP8 products where they can be and are wanted, those of {@code bf16} elsewhere.
 *
 * @param places of the layers in the model
 */
record Fp8Blockwise(Fp8BlockwiseOptions options, LayerPlaces places) implements PrecisionStrategy {
  /** What Hopper's matrix products ask of both extents. */
  private static final int MULTIPLE = 16;

  @Override
  public DType parameterType() {
    return DType.FP32;
  }

  @Override
  public DType activationType() {
    return DType.BF16;
  }

  @Override
  public Support supports(DeviceInfo device, LinearShape shape) {
    return shape.outputs() >= 1 && shape.inputs() >= 1
        ? Support.YES
        : Support.no(shape.name() + " has no elements: " + shape.outputs() + " outputs, " + shape.inputs() + " inputs");
  }

  @Override
  public PrecisionStrategy forModel(ModelSpec model) {
    return new Fp8Blockwise(options, LayerPlaces.of(model));
  }

  @Override
  public LinearMath bind(Device device, LinearShape shape) {
    var kernels = device.kernels().blockScaled();
    if (kernels.isEmpty()) {
      throw new ConfigurationException(
          "precision: device " + device.info().backend() + " has no products of 8-bit matrices; choose bf16");
    }
    if (reasonForBf16(shape).isPresent()) {
      return new StoredProducts(device, shape, parameterType(), activationType());
    }
    ScaleRule rule = options.scales().equals(Fp8BlockwiseOptions.EXACT) ? ScaleRule.EXACT : ScaleRule.POWER_OF_TWO;
    return new Fp8LinearMath(device, kernels.get(), shape, rule);
  }

  /** Above what was found where all is right, below what scales in a wrong order would leave: docs/precision.md. */
  @Override
  public ParityBound parity() {
    return new ParityBound(0.08, 0.08, 0.08);
  }

  @Override
  public String describe(LinearShape shape) {
    return reasonForBf16(shape).map(reason -> "bf16 (" + reason + ")").orElse("fp8");
  }

  private Optional<String> reasonForBf16(LinearShape shape) {
    return places.excluded(shape.name(), options)
        .or(() -> notMultiple(shape.outputs(), "outputs"))
        .or(() -> notMultiple(shape.inputs(), "inputs"));
  }

  private static Optional<String> notMultiple(long extent, String what) {
    return extent % MULTIPLE == 0
        ? Optional.empty()
        : Optional.of(extent + " " + what + " are no multiple of " + MULTIPLE);
  }
}
