package io.hirundo.precision;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.tensor.DType;
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

  /** The products of one linear layer on one device. The caller closes them. */
  LinearMath bind(Device device, LinearShape shape);

  /** How closely it follows exact products; a run may hold it to less, never to more. */
  default ParityBound parity() {
    return ParityBound.NONE;
  }
}
