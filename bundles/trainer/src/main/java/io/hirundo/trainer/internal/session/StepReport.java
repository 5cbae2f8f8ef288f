package io.hirundo.trainer.internal.session;

import io.hirundo.device.KernelTimes;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.lib.engine.step.StepSignals;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the ranks of this process measured in a step, besides its metrics.
 *
 * @param signals signals of any rank
 * @param collectiveBytes bytes of the first rank's collectives, by collective and axes
 * @param kernelTimes kernel times on the first rank's device; empty if kernels were not timed
 * @param rounding quantization error of each layer; empty if it was not measured
 * @param fingerprints fingerprints of all tensors; empty if they were not taken
 */
public record StepReport(
        StepSignals signals,
        Map<String, Long> collectiveBytes,
        Optional<KernelTimes> kernelTimes,
        List<LayerRounding> rounding,
        Optional<FingerprintsTaken> fingerprints) {
    /** The report before the first step. */
    public static final StepReport NONE =
            new StepReport(StepSignals.NONE, Map.of(), Optional.empty(), List.of(), Optional.empty());

    public StepReport {
        collectiveBytes = Collections.unmodifiableMap(new LinkedHashMap<>(collectiveBytes));
        rounding = List.copyOf(rounding);
    }
}
