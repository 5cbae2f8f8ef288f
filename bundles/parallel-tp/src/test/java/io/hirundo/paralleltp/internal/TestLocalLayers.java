package io.hirundo.paralleltp.internal;

import io.hirundo.device.Queue;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LocalLayers;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.NormLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One rank's layers. Weights are cut from whole tensors that depend on their names only. */
final class TestLocalLayers implements LocalLayers {
  private static final double WEIGHT_SCALE = 0.4;

  private final TestRank rank;
  private final PrecisionStrategy precision;
  private final Map<String, TestParameter> parameters = new LinkedHashMap<>();

  TestLocalLayers(TestRank rank) {
    this.rank = rank;
    this.precision =
        rank.activationType() == DType.FP64
            ? new Fp64Factory().create(new NoOptions())
            : new Fp32Factory().create(new NoOptions());
  }

  private record TestParameter(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

  /** A piece of a gradient as a rank found it. */
  record Found(ParameterPart part, double[] values) {}

  List<Found> gradients() {
    var found = new ArrayList<Found>();
    for (TestParameter parameter : parameters.values()) {
      long first = 0;
      for (ParameterPart part : parameter.spec.parts()) {
        found.add(new Found(part, rank.read(parameter.gradient.view(first, part.shape()))));
        first += part.shape().elements();
      }
    }
    return found;
  }

  static double[] whole(ParameterPart part) {
    return Values.random(part.path(), part.globalShape().elements(), WEIGHT_SCALE);
  }

  private static double[] cut(ParameterPart part) {
    boolean matrix = part.shape().rank() == 2;
    return Values.window(
        whole(part),
        matrix ? part.globalShape().dim(1) : 1,
        part.offset().getFirst(),
        part.shape().dim(0),
        matrix ? part.offset().get(1) : 0,
        matrix ? part.shape().dim(1) : 1);
  }

  @Override
  public Parameter declare(ParameterSpec spec) {
    var parameter = parameters.computeIfAbsent(spec.name(), name -> made(spec));
    if (!parameter.spec.equals(spec)) {
      throw new AssertionError(spec.name() + " is declared with two shapes");
    }
    return parameter;
  }

  private TestParameter made(ParameterSpec spec) {
    double[] values = spec.parts().stream().map(TestLocalLayers::cut).flatMapToDouble(java.util.Arrays::stream).toArray();
    DType dtype = precision.parameterType();
    return new TestParameter(
        spec, rank.tensor(spec.shape(), dtype, values), rank.tensor(spec.shape(), dtype, new double[values.length]));
  }

  @Override
  public LocalMatrix matrix(ParameterSpec spec) {
    Parameter weight = declare(spec);
    var shape = new LinearShape(spec.name(), spec.shape().dim(0), spec.shape().dim(1));
    LinearMath math = precision.bind(rank.device(), shape);
    PreparedWeight prepared = math.prepare(rank.queue(), weight.value(), null);
    return new LocalMatrix() {
      @Override
      public Parameter weight() {
        return weight;
      }

      @Override
      public void forward(Queue queue, Tensor xTK, Tensor yTN) {
        math.forward(queue, xTK, prepared, yTN);
      }

      @Override
      public void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
        math.inputGradient(queue, dyTN, prepared, dxTK);
      }

      @Override
      public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK) {
        math.weightGradient(queue, dyTN, xTK, weight.gradient());
      }
    };
  }

  @Override
  public NormLayer norm(ParameterSpec weight, double epsilon) {
    return new TestNorm(declare(weight), epsilon);
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return TestAttention.of(rank, spec);
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return new TestGatedMlp(spec.inner());
  }
}
