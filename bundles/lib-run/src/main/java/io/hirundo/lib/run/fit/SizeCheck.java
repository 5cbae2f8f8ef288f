package io.hirundo.lib.run.fit;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.accounting.FlopCount;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.SizeLimits;
import io.hirundo.model.ModelSpec;
import java.util.Locale;

/** Rejects configurations whose combined sizes overflow 64-bit counters, although each single setting is allowed. */
public final class SizeCheck {
    /** With this limit, the FLOPs of a rank in one step stay below 2^63, including recomputation and FP8 casts. */
    private static final double MAX_RANK_FLOPS = 0x1p61;

    private SizeCheck() {}

    public static void check(RunConfiguration configuration, ModelSpec model) {
        var training = configuration.training();
        var mesh = configuration.mesh();
        double parameters = ModelTensors.of(model).values().stream()
                .mapToDouble(shape -> shape.elements())
                .sum();
        require(
                parameters <= SizeLimits.PARAMETERS,
                "model: %.2g parameters; allowed: up to %.2g",
                parameters,
                SizeLimits.PARAMETERS);
        double flops = FlopCount.ofStep(model, training.globalBatch(), training.sequenceTokens())
                / mesh.mesh().ranks();
        require(
                flops <= MAX_RANK_FLOPS,
                "training.globalBatch: a step has %.2g FLOPs per rank; allowed: up to %.2g; lower it, or give the mesh more ranks",
                flops,
                MAX_RANK_FLOPS);
    }

    private static void require(boolean allowed, String message, Object... arguments) {
        if (!allowed) {
            throw new ConfigurationException(String.format(Locale.ROOT, message, arguments));
        }
    }
}
