package io.hirundo.precision;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.model.ModelSpec;
import io.hirundo.tensor.DType;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** The precision of a training: dtypes and linear layers. Strategy kind {@code precision}. Thread-safe. */
@ConsumerType
public interface PrecisionStrategy {
    /** Dtype of the weights that the optimizer updates (master weights). Gradients are in {@link io.hirundo.model.parameter.Parameter#updateType}. */
    DType parameterType();

    /**
     * Dtype in which norms and embeddings read their weights. If it is narrower than {@link #parameterType}, a data-parallel strategy can
     * shard the master weights. Linear layers read theirs in {@link LinearMath#weightType}.
     */
    default DType weightType() {
        return parameterType();
    }

    /** Dtype of activations between kernels. */
    DType activationType();

    /**
     * The dtypes of the operands that the GEMMs of linear layers multiply, of all layers together. The coarsest decides how much {@code regress
     * check --within-noise} lets pass. Override it if operands are quantized, with the types that {@link LinearMath#multiplied} returns: the default says that they are multiplied as activations are stored. {@code PrecisionContract} of the testkit compares both. Asked after {@link #forModel}.
     */
    default Set<DType> operandTypes() {
        return Set.of(activationType());
    }

    /** Whether the device can compute a linear layer of this shape. Never falls back silently. */
    Support supports(DeviceInfo device, LinearShape shape);

    /**
     * The kernel families that {@link #bind} looks up, besides those that every device has. A run is rejected before a device is opened if neither
     * the device nor a bundle has one of them. Asked after {@link #forModel}.
     */
    default Set<Class<?>> kernels() {
        return Set.of();
    }

    /**
     * GEMMs of one linear layer on one device. The caller closes the result.
     *
     * @throws io.hirundo.ConfigurationException if the device lacks the kernels; names the alternatives
     */
    LinearMath bind(Device device, LinearShape shape);

    /**
     * The same, if other ranks may hold other shards of the layer's weight. Override it if quantization depends on the whole
     * weight. {@code io.hirundo.testkit.PrecisionContract} tests it when the strategy calls {@code sharers}.
     *
     * @param sharers may be called only while a weight is prepared
     */
    default LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
        return bind(device, shape);
    }

    /**
     * The strategy for this model's layers, if a layer's position decides its precision; otherwise itself. Called before {@link
     * #supports} and {@link #bind}.
     */
    default PrecisionStrategy forModel(ModelSpec model) {
        return this;
    }

    /**
     * Whether ranks may hold pieces of a sequence, each of so many consecutive tokens, as with context parallelism. A layer sees
     * several pieces side by side. Not called if every rank has complete sequences. Called before {@link #bind}.
     */
    default Support supportsPieces(long tokens) {
        return Support.YES;
    }

    /**
     * How this layer's GEMMs are computed, and why if that differs from the strategy's name: {@code bf16: its 8 inputs are no
     * multiple of 16}. Logged once in the GEMM precision summary, which groups layers with equal text. Empty if the name says
     * everything.
     */
    default String describe(LinearShape shape) {
        return "";
    }

    /**
     * Parity bounds that this strategy meets. A run may configure tighter bounds, never looser ones. A finite output bound is also
     * added to the tolerance when a model is loaded or exported ({@code model.parityTolerance}).
     */
    default ParityBound parity() {
        return ParityBound.NONE;
    }

    /**
     * Quantization of stage-to-stage activations and gradients. Empty if they are sent unchanged, which keeps results bitwise equal
     * to a single rank's.
     */
    default Optional<MessageCoding> betweenStages(Device device) {
        return Optional.empty();
    }
}
