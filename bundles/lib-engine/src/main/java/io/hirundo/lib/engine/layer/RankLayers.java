package io.hirundo.lib.engine.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.audit.AuditedLayer;
import io.hirundo.lib.engine.check.LayerErrors;
import io.hirundo.lib.engine.check.ProductFailure;
import io.hirundo.lib.engine.check.WithoutWeightGradients;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.StepMemory;
import io.hirundo.precision.Support;
import io.hirundo.precision.WeightCoding;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** The layers of one rank on its device. Owns the prepared weights; close it after the last step. */
public final class RankLayers implements AutoCloseable {
    private final Device device;
    private final PrecisionStrategy precision;
    private final ParameterStore parameters;
    private final AttentionCores attention;
    private final WeightSharers sharers;
    private final Opened opened = new Opened();
    private final Map<Object, AutoCloseable> shared = new HashMap<>();
    private final List<PreparedMatrix> matrices = new ArrayList<>();
    /** Names of parameters with a reader that needs unquantized values. */
    private final Set<String> readUnquantized = new HashSet<>();
    /** Dtypes in which layers read the values of parameters, by name. */
    private final Map<String, DType> weightTypes = new HashMap<>();

    private final GemmPrecisionSummary products = new GemmPrecisionSummary();
    /** True during {@link #rehearse}: no collectives, because another rank may fail first and never join them. */
    private boolean alone;

    public RankLayers(
            Device device,
            PrecisionStrategy precision,
            ParameterStore parameters,
            BiFunction<Heads, AttentionOptions, AttentionCore> attention,
            WeightSharers sharers) {
        this.device = device;
        this.precision = precision;
        this.parameters = parameters;
        this.attention = new AttentionCores(attention);
        this.sharers = sharers;
    }

    /** Declares a parameter whose values are read. */
    Parameter declare(ParameterSpec spec) {
        readUnquantized.add(spec.name());
        reads(spec.name(), precision.weightType());
        return parameters.declare(spec);
    }

    /** Readers of different dtypes all get the master weights' dtype. */
    private void reads(String name, DType dtype) {
        weightTypes.merge(name, dtype, (known, other) -> known == other ? known : precision.parameterType());
    }

    private LinearMath bound(ParameterSpec spec, LinearShape shape) {
        try {
            return precision.bind(device, shape, this::agree);
        } catch (HirundoException known) {
            throw known;
        } catch (RuntimeException | LinkageError failure) {
            throw new ProductFailure.Layer(spec.name(), spec.shape()).failure("the creation of the GEMMs", -1, failure);
        }
    }

    /** A matrix with the precision's GEMMs. */
    LocalMatrix matrix(ParameterSpec spec) {
        var shape =
                new LinearShape(spec.name(), spec.shape().dim(0), spec.shape().dim(1));
        Support support = precision.supports(device.info(), shape);
        if (!support.supported()) {
            throw new ConfigurationException("precision: cannot compute layer " + shape.name() + " [" + shape.outputs()
                    + ", " + shape.inputs() + "]: " + support.reason());
        }
        var matrix =
                opened.add(new PreparedMatrix(parameters.declare(spec), bound(spec, shape)), PreparedMatrix::close);
        matrices.add(matrix);
        reads(spec.name(), matrix.math().weightType().orElse(precision.parameterType()));
        if (matrix.math().coding().isEmpty()) {
            readUnquantized.add(spec.name());
        }
        products.add(shape.name(), precision.describe(shape));
        return matrix;
    }

    private void agree(Queue queue, Tensor magnitudes) {
        if (!alone) {
            sharers.agree(queue, magnitudes);
        }
    }

    Device device() {
        return device;
    }

    /** Something that layers share: created once for equal keys, closed with these layers. */
    <T extends AutoCloseable> T shared(Object key, Supplier<T> create) {
        // Keys are records of one class for each kind of thing.
        @SuppressWarnings("unchecked")
        T known = (T) shared.get(key);
        if (known == null) {
            known = opened.add(create.get(), RankLayers::close);
            shared.put(key, known);
        }
        return known;
    }

    private static void close(AutoCloseable shared) {
        try {
            shared.close();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException(shared + " cannot be closed: " + Reason.of(failure), failure);
        }
    }

    /** The attention cores of all layers. */
    public AttentionCores attentionCores() {
        return attention;
    }

    /** The GEMM precision summary, one line per precision. */
    public List<String> describeProducts() {
        return products.lines();
    }

    /** The dtypes in which layers read the values of parameters, by name. */
    public Map<String, DType> weightTypes() {
        return Map.copyOf(weightTypes);
    }

    /**
     * The quantized formats of weights that are read by GEMMs only, by parameter name. Empty for precision strategies without quantized
     * gathers.
     */
    public Map<String, WeightCoding> codings() {
        var codings = new HashMap<String, WeightCoding>();
        for (PreparedMatrix matrix : matrices) {
            String name = matrix.weight().spec().name();
            if (!readUnquantized.contains(name)) {
                codings.put(name, matrix.math().coding().orElseThrow());
            }
        }
        return codings;
    }

    /**
     * Prepares the given weights again; call it after every weight update.
     *
     * @param coded the quantized weight of a parameter name, if it was gathered in quantized form
     */
    public void prepare(Queue queue, Collection<Parameter> weights, Function<String, Optional<CodedWeight>> coded) {
        for (PreparedMatrix matrix : matrices) {
            if (weights.contains(matrix.weight())) {
                matrix.prepare(queue, coded.apply(matrix.weight().spec().name()));
            }
        }
    }

    /** Frees what was prepared of the given weights; they are prepared again before their next use. */
    public void release(Collection<Parameter> weights) {
        matrices.stream().filter(matrix -> weights.contains(matrix.weight())).forEach(PreparedMatrix::release);
    }

    /** Discards what the GEMMs of the current step recorded for later steps (delayed-scaling history): the step was a test. */
    public void discard() {
        memory().values().forEach(StepMemory::discard);
    }

    /** The state that GEMMs carry from step to step (delayed-scaling history), by weight name. Layers without such state are left out. */
    public SequencedMap<String, StepMemory> memory() {
        var memory = new LinkedHashMap<String, StepMemory>();
        for (PreparedMatrix matrix : matrices) {
            matrix.math()
                    .memory()
                    .ifPresent(of -> memory.put(matrix.weight().spec().name(), of));
        }
        return memory;
    }

    /** Reports the operands of all GEMMs to this observer, as unquantized values and one GEMM at a time. Replaces the previous observer. */
    public Observation observe(OperandObserver observer) {
        matrices.forEach(matrix -> matrix.observe(observer));
        return () -> matrices.forEach(matrix -> matrix.observe(null));
    }

    /** A registered observer; closing it removes the observer. */
    public interface Observation extends AutoCloseable {
        @Override
        void close();
    }

    /** Whether any layer quantizes its operands. */
    public boolean roundsOperands() {
        return matrices.stream().anyMatch(matrix -> matrix.math().roundsOperands());
    }

    /** Starts to measure the quantization error of every layer that quantizes its operands. */
    public void beginRounding() {
        matrices.forEach(PreparedMatrix::beginRounding);
    }

    /** Returns the quantization errors since {@link #beginRounding} and stops measuring. */
    public List<LayerRounding> endRounding() {
        var measured = new ArrayList<LayerRounding>();
        for (PreparedMatrix matrix : matrices) {
            String layer = matrix.weight().spec().name();
            matrix.endRounding().forEach((operand, loss) -> measured.add(new LayerRounding(layer, operand, loss)));
        }
        return measured;
    }

    /**
     * Runs the GEMMs of each weight once on dummy operands, so that a strategy that cannot compute a shape fails before training.
     *
     * @param keep whether prepared weights stay allocated, as they do in training
     */
    public void rehearse(Queue queue, boolean keep) {
        alone = true;
        try {
            for (PreparedMatrix matrix : matrices) {
                matrix.rehearse(device, queue, precision);
                if (!keep) {
                    matrix.release();
                }
            }
        } finally {
            alone = false;
        }
        discard();
    }

    /**
     * Runs {@code work} while every GEMM of these layers is checked against a reference.
     *
     * @return the errors of each layer
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

    /**
     * Compares weights that were gathered as quantized values with their unquantized values, which are available now. Part of the work of
     * {@link #checked}.
     */
    public void checkGatheredWeights(Collection<Parameter> weights) {
        matrices.stream()
                .filter(matrix -> weights.contains(matrix.weight()))
                .forEach(PreparedMatrix::checkGatheredWeight);
    }

    /**
     * The names of random weights with half of the elements of the linear layers whose gradients are {@link PreparedMatrix#isAlone complete on
     * each rank}. Ranks with the same layers draw the same.
     */
    public Set<String> halfOfWeights(long seed) {
        var order = new ArrayList<>(
                matrices.stream().filter(PreparedMatrix::isAlone).toList());
        Collections.shuffle(order, new Random(seed));
        long all = order.stream().mapToLong(PreparedMatrix::elements).sum();
        var names = new HashSet<String>();
        long taken = 0;
        for (PreparedMatrix matrix : order) {
            if (2 * taken < all) {
                names.add(matrix.name());
                taken += matrix.elements();
            }
        }
        return names;
    }

    /** Runs work without the GEMMs of these weights' gradients. */
    public <T> T withoutWeightGradients(Set<String> names, Supplier<T> work) {
        List<PreparedMatrix> without = matrices.stream()
                .filter(matrix -> names.contains(matrix.name()))
                .toList();
        without.forEach(matrix -> matrix.observeProducts(new WithoutWeightGradients()));
        try {
            return work.get();
        } finally {
            without.forEach(matrix -> matrix.observeProducts(null));
        }
    }

    /** The layers whose GEMMs an audit may check. */
    public List<? extends AuditedLayer> audited() {
        return Collections.unmodifiableList(matrices);
    }

    @Override
    public void close() {
        opened.close();
    }
}
