package io.hirundo.lib.engine.strategy;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import java.util.Optional;
import java.util.Set;

/** Delegates to another precision, except for overridden methods. */
public abstract class ForwardingPrecision implements PrecisionStrategy {
    private final PrecisionStrategy precision;

    public ForwardingPrecision(PrecisionStrategy precision) {
        this.precision = precision;
    }

    /** Must be implemented: the delegate would return itself, without the overrides. */
    @Override
    public abstract PrecisionStrategy forModel(ModelSpec model);

    @Override
    public DType parameterType() {
        return precision.parameterType();
    }

    @Override
    public DType weightType() {
        return precision.weightType();
    }

    @Override
    public DType activationType() {
        return precision.activationType();
    }

    @Override
    public Set<DType> operandTypes() {
        return precision.operandTypes();
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return precision.supports(device, shape);
    }

    @Override
    public Set<Class<?>> kernels() {
        return precision.kernels();
    }

    @Override
    public Support supportsPieces(long tokens) {
        return precision.supportsPieces(tokens);
    }

    @Override
    public final LinearMath bind(Device device, LinearShape shape) {
        return bind(device, shape, WeightSharers.NONE);
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
        return precision.bind(device, shape, sharers);
    }

    @Override
    public String describe(LinearShape shape) {
        return precision.describe(shape);
    }

    @Override
    public ParityBound parity() {
        return precision.parity();
    }

    @Override
    public Optional<MessageCoding> betweenStages(Device device) {
        return precision.betweenStages(device);
    }
}
