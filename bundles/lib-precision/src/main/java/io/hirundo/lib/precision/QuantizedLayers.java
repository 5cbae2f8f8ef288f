package io.hirundo.lib.precision;

import io.hirundo.ConfigurationException;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearShape;
import java.util.Optional;

/**
 * Which layers of a model compute in FP8: those that the options allow and whose dimensions Hopper's GEMMs support. All others
 * compute in BF16.
 */
public final class QuantizedLayers {
    /** Hopper's FP8 GEMMs need multiples of it in both dimensions. */
    private static final int MULTIPLE = 16;

    private final Options options;
    private final LayerPlaces places;

    /**
     * Which layers may be quantized.
     *
     * @param firstInBf16 blocks at the start of the model that stay in BF16
     * @param lastInBf16 blocks at its end that stay in BF16
     * @param queryKeyValue whether QKV projections may be quantized
     * @param head whether the loss head may be quantized
     */
    public record Options(int firstInBf16, int lastInBf16, boolean queryKeyValue, boolean head) {}

    /** Without a model: decides by dimensions only. */
    public QuantizedLayers(Options options) {
        this(options, LayerPlaces.UNKNOWN);
    }

    private QuantizedLayers(Options options, LayerPlaces places) {
        this.options = options;
        this.places = places;
    }

    /**
     * The layers of this model.
     *
     * @throws ConfigurationException if more blocks should stay in BF16 than the model has
     */
    public QuantizedLayers of(ModelSpec model) {
        LayerPlaces ofModel = LayerPlaces.of(model);
        if ((long) options.firstInBf16() + options.lastInBf16() > ofModel.blockCount()) {
            throw new ConfigurationException("precision: firstInBf16 " + options.firstInBf16() + " and lastInBf16 "
                    + options.lastInBf16() + " are more blocks than the model's " + ofModel.blockCount()
                    + "; reduce them, or set precision to bf16");
        }
        return new QuantizedLayers(options, ofModel);
    }

    /** Whether this layer is quantized. */
    public boolean contains(LinearShape shape) {
        return reasonForBf16(shape).isEmpty();
    }

    /** See {@link io.hirundo.precision.PrecisionStrategy#describe}. */
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
