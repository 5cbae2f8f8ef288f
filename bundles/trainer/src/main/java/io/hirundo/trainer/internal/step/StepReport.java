package io.hirundo.trainer.internal.step;

import io.hirundo.device.KernelTimes;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.LayerRounding;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the ranks of this process learnt in a step beside its metrics.
 *
 * @param signals what any rank had to tell
 * @param messageBytes of the first rank's messages, by collective and axes
 * @param kernelTimes on the first rank's device; empty where kernels were not timed
 * @param rounding what it lost in each layer; empty where it was not measured
 * @param fingerprints of all tensors; empty where they were not taken
 */
public record StepReport(
    StepSignals signals,
    Map<String, Long> messageBytes,
    Optional<KernelTimes> kernelTimes,
    List<LayerRounding> rounding,
    Optional<FingerprintsTaken> fingerprints) {
  /** Before the first step. */
  public static final StepReport NONE = new StepReport(StepSignals.NONE, Map.of(), Optional.empty(), List.of(), Optional.empty());

  public StepReport {
    messageBytes = Collections.unmodifiableMap(new LinkedHashMap<>(messageBytes));
    rounding = List.copyOf(rounding);
  }
}
