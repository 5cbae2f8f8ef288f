package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.Setting;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** {@code fp32}, with one thing wrong where that is asked for. */
final class FaultyPrecision implements StrategyFactory<FaultyPrecision.Options, PrecisionStrategy> {
  /** What is wrong. */
  public enum Fault {
    NOTHING,
    /** The weight gradient of one square layer is transposed, and the strategy claims that anything is near enough. */
    TRANSPOSED_WEIGHT_GRADIENT,
    /** Overwrites the weight gradient, where it should add to it. */
    OVERWRITTEN_WEIGHT_GRADIENT,
    /** The weight gradient is transposed, and what was made cannot be closed. */
    UNCLOSABLE,
    THROWS,
    /** Only in the middle of a microbatch, of as many rows as no rehearsal has. */
    TRIPS,
    REFUSES
  }

  /** Options. */
  public record Options(@Setting("What is wrong") Fault fault) {
    public Options() {
      this(Fault.NOTHING);
    }
  }

  static final String FAULTY_LAYER = "model.layers.1.self_attn.o_proj.weight";

  private static final long MOST_REHEARSED = 7;

  private final Fault always;
  private final PrecisionStrategy exact = new Fp32Factory().create(new NoOptions());

  /** With the fault that its options ask for. */
  FaultyPrecision() {
    this(Fault.NOTHING);
  }

  /** With this fault where the options ask for none. */
  FaultyPrecision(Fault always) {
    this.always = always;
  }

  @Override
  public Class<Options> optionsType() {
    return Options.class;
  }

  @Override
  public Class<PrecisionStrategy> contract() {
    return PrecisionStrategy.class;
  }

  @Override
  public PrecisionStrategy create(Options options) {
    return new Precision(options.fault() == Fault.NOTHING ? always : options.fault());
  }

  private final class Precision implements PrecisionStrategy {
    private final Fault fault;

    Precision(Fault fault) {
      this.fault = fault;
    }

    @Override
    public DType parameterType() {
      return DType.FP32;
    }

    @Override
    public DType activationType() {
      return DType.FP32;
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
      return fault == Fault.REFUSES && shape.name().equals(FAULTY_LAYER) ? Support.no("it does not like it") : Support.YES;
    }

    @Override
    public ParityBound parity() {
      return new ParityBound(1e9, 1e9, 1e9);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
      LinearMath math = exact.bind(device, shape);
      return shape.name().equals(FAULTY_LAYER) ? new Faulty(math, device, fault) : math;
    }
  }

  private record Faulty(LinearMath math, Device device, Fault fault) implements LinearMath {
    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
      if (fault == Fault.THROWS) {
        throw new IllegalStateException("out of luck");
      }
      return math.prepare(queue, wNK, reuse);
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
      math.forward(queue, xTK, weight, yTN);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
      math.inputGradient(queue, dyTN, weight, dxTK);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
      switch (fault) {
        case TRANSPOSED_WEIGHT_GRADIENT, UNCLOSABLE -> math.weightGradient(queue, xTK, dyTN, dwNK);
        case OVERWRITTEN_WEIGHT_GRADIENT -> {
          device.kernels().elementwise().fill(queue, dwNK, 0);
          math.weightGradient(queue, dyTN, xTK, dwNK);
        }
        case TRIPS -> {
          if (dyTN.shape().dim(0) > MOST_REHEARSED) {
            throw new IllegalStateException("fell over a microbatch");
          }
          math.weightGradient(queue, dyTN, xTK, dwNK);
        }
        default -> math.weightGradient(queue, dyTN, xTK, dwNK);
      }
    }

    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
      return math.multiplied(product, weight);
    }

    @Override
    public void close() {
      math.close();
      if (fault == Fault.UNCLOSABLE) {
        throw new IllegalStateException("stays open");
      }
    }
  }
}
