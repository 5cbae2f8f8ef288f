package io.hirundo.trainer.internal.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Makes layers that compute on one device without communication. Owns what they prepare; close it after the last step. */
public final class PlainLayerFactory implements LayerFactory, AutoCloseable {
  private final Device device;
  private final PrecisionStrategy precision;
  private final ParameterStore parameters;
  private final RotaryTables rotaryTables;
  private final List<PreparedLinear> linears = new ArrayList<>();

  public PlainLayerFactory(Device device, Queue queue, PrecisionStrategy precision, ParameterStore parameters) {
    this.device = device;
    this.precision = precision;
    this.parameters = parameters;
    this.rotaryTables = new RotaryTables(device, queue, precision.activationType());
  }

  @Override
  public EmbeddingLayer embedding(LayerSpec.Embedding spec) {
    return new PlainEmbedding(
        parameters.declare(matrix(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization())));
  }

  @Override
  public LinearLayer linear(LayerSpec.Linear spec) {
    var parts =
        spec.parts().stream()
            .map(part -> ParameterPart.whole(part.path(), Shape.of(part.outputs(), spec.inputs())))
            .toList();
    String name = parts.size() == 1 ? parts.getFirst().path() : spec.name() + ".weight";
    return new PlainLinear(prepared(new ParameterSpec(name, parts, spec.initialization())));
  }

  @Override
  public NormLayer norm(LayerSpec.Norm spec) {
    var part = ParameterPart.whole(spec.path(), Shape.of(spec.hidden()));
    var weight = parameters.declare(new ParameterSpec(spec.path(), List.of(part), Initialization.ONES));
    return new PlainNorm(weight, spec.epsilon());
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return new PlainAttention(spec.heads(), rotaryTables.of(spec));
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return new PlainGatedMlp(spec.inner());
  }

  @Override
  public LossHeadLayer lossHead(LayerSpec.LossHead spec) {
    var weight = matrix(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization());
    return new PlainLossHead(prepared(weight), spec.vocabulary());
  }

  /** Lets the precision strategy prepare every weight anew; to be called whenever weights have changed. */
  public void prepareWeights(Queue queue) {
    linears.forEach(linear -> linear.prepare(queue));
  }

  @Override
  public void close() {
    linears.forEach(PreparedLinear::close);
    rotaryTables.close();
  }

  private PreparedLinear prepared(ParameterSpec spec) {
    var shape = new LinearShape(spec.name(), spec.shape().dim(0), spec.shape().dim(1));
    Support support = precision.supports(device.info(), shape);
    if (!support.supported()) {
      throw new ConfigurationException(
          "precision: cannot compute layer " + shape.name() + " [" + shape.outputs() + ", " + shape.inputs() + "]: "
              + support.reason());
    }
    var linear = new PreparedLinear(parameters.declare(spec), precision.bind(device, shape));
    linears.add(linear);
    return linear;
  }

  private static ParameterSpec matrix(String path, long rows, long columns, Initialization initialization) {
    return new ParameterSpec(
        path, List.of(ParameterPart.whole(path, Shape.of(rows, columns))), initialization);
  }
}
