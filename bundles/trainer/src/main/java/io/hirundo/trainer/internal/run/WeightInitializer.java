package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.Initialization;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import java.nio.charset.StandardCharsets;
import java.util.stream.LongStream;

/**
 * Initial weights. Element {@code i} of the whole tensor {@code path} is made from {@code (seed, path, i)} alone, so that
 * every layout starts from the same model: two SplitMix64 draws (Steele et al. 2014, doi 10.1145/2714064.2660195) through
 * the Box-Muller transform. {@code StrictMath} makes it the same on every machine.
 */
public final class WeightInitializer {
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  private static final long SEED_STRIDE = 0xD1342543DE82EF95L;
  private static final double UNIT = 0x1p-53;

  private final long seed;

  public WeightInitializer(long seed) {
    this.seed = seed;
  }

  /** Fills the parameter's value. */
  public void initialize(Device device, Queue queue, Parameter parameter) {
    HostCopies.fill(
        device,
        queue,
        parameter,
        (part, host) -> {
          var values = new TensorValues(part.path(), seed, parameter.spec().initialization());
          LongStream.range(0, part.shape().elements())
              .parallel()
              .forEach(i -> host.set(i, values.at(globalIndex(part, i))));
        });
  }

  /** One element. */
  public double value(String path, long globalIndex, Initialization initialization) {
    return new TensorValues(path, seed, initialization).at(globalIndex);
  }

  /** The elements of one whole tensor. */
  private record TensorValues(long base, Initialization initialization) {
    TensorValues(String path, long seed, Initialization initialization) {
      this(hash(path) + seed * SEED_STRIDE, initialization);
    }

    double at(long globalIndex) {
      if (initialization.standardDeviation() == 0) {
        return initialization.mean();
      }
      double u1 = ((mix(base + (2 * globalIndex + 1) * GOLDEN_GAMMA) >>> 11) + 1) * UNIT;
      double u2 = (mix(base + (2 * globalIndex + 2) * GOLDEN_GAMMA) >>> 11) * UNIT;
      double normal = StrictMath.sqrt(-2 * StrictMath.log(u1)) * StrictMath.cos(2 * Math.PI * u2);
      return initialization.mean() + initialization.standardDeviation() * normal;
    }
  }

  /** Index in the whole tensor of a part's element. */
  private static long globalIndex(ParameterPart part, long localIndex) {
    long remaining = localIndex;
    long stride = 1;
    long index = 0;
    for (int dim = part.shape().rank() - 1; dim >= 0; dim--) {
      long extent = part.shape().dim(dim);
      index += (remaining % extent + part.offset().get(dim)) * stride;
      remaining /= extent;
      stride *= part.globalShape().dim(dim);
    }
    return index;
  }

  private static long hash(String path) {
    long hash = FNV_OFFSET;
    for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    return hash;
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
