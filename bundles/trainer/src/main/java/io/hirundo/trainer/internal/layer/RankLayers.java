package io.hirundo.trainer.internal.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.kernel.Heads;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LocalLayers;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.NormLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.StepMemory;
import io.hirundo.precision.Support;
import io.hirundo.precision.WeightCoding;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.audit.AuditedLayer;
import io.hirundo.trainer.internal.check.LayerErrors;
import io.hirundo.trainer.internal.lifecycle.Opened;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;

/** Layers of one rank on its device. Owns what they prepare; close it after the last step. */
public final class RankLayers implements LocalLayers, AutoCloseable {
  private final Device device;
  private final PrecisionStrategy precision;
  private final ParameterStore parameters;
  private final Function<Heads, AttentionCore> attention;
  private final WeightSharers sharers;
  private final Opened opened = new Opened();
  private final RotaryTables rotaryTables;
  private final List<PreparedMatrix> matrices = new ArrayList<>();
  /** Parameters that somebody reads who has no coding for them. */
  private final Set<String> readAsTheyAre = new HashSet<>();
  private final GemmPrecisionSummary products = new GemmPrecisionSummary();
  /** Whether another rank that fails must not be waited for. */
  private boolean alone;

  public RankLayers(
      Device device,
      Queue queue,
      PrecisionStrategy precision,
      ParameterStore parameters,
      Function<Heads, AttentionCore> attention,
      WeightSharers sharers) {
    this.device = device;
    this.precision = precision;
    this.parameters = parameters;
    this.attention = attention;
    this.sharers = sharers;
    this.rotaryTables =
        opened.add(new RotaryTables(device, queue, precision.activationType()), RotaryTables::close);
  }

  @Override
  public Parameter declare(ParameterSpec spec) {
    readAsTheyAre.add(spec.name());
    return parameters.declare(spec);
  }

  @Override
  public LocalMatrix matrix(ParameterSpec spec) {
    var shape = new LinearShape(spec.name(), spec.shape().dim(0), spec.shape().dim(1));
    Support support = precision.supports(device.info(), shape);
    if (!support.supported()) {
      throw new ConfigurationException(
          "precision: cannot compute layer " + shape.name() + " [" + shape.outputs() + ", " + shape.inputs() + "]: "
              + support.reason());
    }
    var matrix =
        opened.add(
            new PreparedMatrix(parameters.declare(spec), precision.bind(device, shape, this::agree)), PreparedMatrix::close);
    matrices.add(matrix);
    if (matrix.math().coding().isEmpty()) {
      readAsTheyAre.add(spec.name());
    }
    products.add(shape.name(), precision.describe(shape));
    return matrix;
  }

  private void agree(Queue queue, Tensor magnitudes) {
    if (!alone) {
      sharers.agree(queue, magnitudes);
    }
  }

  @Override
  public NormLayer norm(ParameterSpec weight, double epsilon) {
    return new PlainNorm(declare(weight), epsilon);
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return new PlainAttention(spec.heads(), rotaryTables.of(spec), attention.apply(spec.heads()));
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return new PlainGatedMlp(spec.inner());
  }

  /** What the precision strategy says of the layers, in lines. */
  public List<String> describeProducts() {
    return products.lines();
  }

  /** Of weights that products alone read, where the precision strategy has them. */
  public Map<String, WeightCoding> codings() {
    var codings = new HashMap<String, WeightCoding>();
    for (PreparedMatrix matrix : matrices) {
      String name = matrix.weight().spec().name();
      if (!readAsTheyAre.contains(name)) {
        codings.put(name, matrix.math().coding().orElseThrow());
      }
    }
    return codings;
  }

  /**
   * Lets the precision strategy prepare these weights anew; to be called whenever they have changed.
   *
   * @param coded by name, where one has come as codes
   */
  public void prepare(Queue queue, Collection<Parameter> weights, Function<String, Optional<CodedWeight>> coded) {
    for (PreparedMatrix matrix : matrices) {
      if (weights.contains(matrix.weight())) {
        matrix.prepare(queue, coded.apply(matrix.weight().spec().name()));
      }
    }
  }

  /** What was computed since the last step is forgotten: it was tried, and nothing is learned from it. */
  public void discard() {
    memory().values().forEach(StepMemory::discard);
  }

  /** What the products remember from one step to the next, by the names of the weights; of those that do. */
  public SequencedMap<String, StepMemory> memory() {
    var memory = new LinkedHashMap<String, StepMemory>();
    for (PreparedMatrix matrix : matrices) {
      matrix.math().memory().ifPresent(of -> memory.put(matrix.weight().spec().name(), of));
    }
    return memory;
  }

  /**
   * From now on it is told of the operands of all products, which come as values and are made one by one; in place of who was told
   * before.
   */
  public Observation observe(OperandObserver observer) {
    matrices.forEach(matrix -> matrix.observe(observer));
    return () -> matrices.forEach(matrix -> matrix.observe(null));
  }

  /** Ends an {@link #observe}: nobody is told any more. */
  public interface Observation extends AutoCloseable {
    @Override
    void close();
  }

  /** Whether there is a layer whose operands are rounded. */
  public boolean roundsOperands() {
    return matrices.stream().anyMatch(matrix -> matrix.math().roundsOperands());
  }

  /** From now on what rounding loses is measured, in every layer whose operands are rounded. */
  public void beginRounding() {
    matrices.forEach(PreparedMatrix::beginRounding);
  }

  /** What was measured since {@link #beginRounding}, which ends with this. */
  public List<LayerRounding> endRounding() {
    var measured = new ArrayList<LayerRounding>();
    for (PreparedMatrix matrix : matrices) {
      String layer = matrix.weight().spec().name();
      matrix.endRounding().forEach((operand, loss) -> measured.add(new LayerRounding(layer, operand, loss)));
    }
    return measured;
  }

  /** Does each matrix's products once with operands that do not matter, so that a strategy which cannot shows it here. */
  public void rehearse(Queue queue) {
    alone = true;
    try {
      matrices.forEach(matrix -> matrix.rehearse(device, queue, precision));
    } finally {
      alone = false;
    }
    discard();
  }

  /**
   * Does work with these layers whose products are checked while they are made. Weights are there as values meanwhile.
   *
   * @return what was found for each layer
   */
  public List<LayerErrors> checked(Queue queue, Runnable work) {
    var errors = new ArrayList<LayerErrors>();
    matrices.forEach(matrix -> matrix.beginChecks(device, queue));
    try {
      work.run();
    } finally {
      matrices.forEach(matrix -> errors.add(matrix.endChecks()));
    }
    return errors;
  }

  /** Those whose products an audit may look at. */
  public List<? extends AuditedLayer> audited() {
    return Collections.unmodifiableList(matrices);
  }

  @Override
  public void close() {
    opened.close();
  }
}
