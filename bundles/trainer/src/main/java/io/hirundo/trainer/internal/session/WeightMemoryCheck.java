package io.hirundo.trainer.internal.session;

import io.hirundo.DeviceException;
import io.hirundo.lib.engine.layer.RankLayers;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Locale;

/**
 * Whether the weights that layers read, and the gradients of a step, fit next to what a rank holds.
 *
 * @param dataParallel the strategy that gathers and reduces them in the next step
 * @param shardSize ranks that share one copy of the weights
 * @param microbatches of a step on this rank
 */
record WeightMemoryCheck(DataParallel dataParallel, int shardSize, long microbatches) {
    /**
     * Allocates and frees what the next step takes in addition. No collectives.
     *
     * @param freedBytes that the change frees before
     * @throws DeviceException if there is not enough memory
     */
    void require(ShardedParameters sharded, RankLayers layers, long freedBytes) {
        dataParallel.rehearseStep(sharded, layers.weightTypes(), layers.codings(), microbatches, freedBytes);
    }

    /**
     * The same, for layers of another precision.
     *
     * @throws DeviceException if there is not enough memory; says so if the reason is that layers read complete weights in FP32
     */
    void requireForPrecision(ShardedParameters sharded, RankLayers layers) {
        try {
            require(sharded, layers, 0);
        } catch (DeviceException failure) {
            List<Parameter> all = sharded.parameters();
            long inFp32 = elements(all.stream()
                    .filter(parameter -> isGatheredInFp32(parameter, layers))
                    .toList());
            // A single rank reads its master weights, without a copy.
            if (inFp32 == 0 || shardSize == 1) {
                throw failure;
            }
            throw new DeviceException(
                    String.format(
                            Locale.ROOT,
                            "precision: its layers read complete weights in FP32, 4 bytes for %,d of this rank's %,d parameters%s, which do not fit next to what the"
                                    + " rank holds (%s); take a precision whose layers read BF16 or quantized weights%s",
                            inFp32,
                            elements(all),
                            sharded.keepsWeights() ? "" : " while their block works",
                            failure.getMessage(),
                            dataParallel
                                    .weightMemoryRemedy(!layers.codings().isEmpty())
                                    .map(setting -> ", or set " + setting + " first")
                                    .orElse("")),
                    failure);
        }
    }

    private boolean isGatheredInFp32(Parameter parameter, RankLayers layers) {
        String name = parameter.spec().name();
        boolean isQuantized =
                dataParallel.gathersQuantized() && layers.codings().containsKey(name);
        return layers.weightTypes().get(name) == DType.FP32 && !isQuantized;
    }

    private static long elements(List<Parameter> parameters) {
        return parameters.stream()
                .mapToLong(parameter -> parameter.spec().shape().elements())
                .sum();
    }
}
