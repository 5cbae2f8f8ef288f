package io.hirundo.trainer.internal.plan;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The predicted memory and work of a run.
 *
 * @param run name of the run
 * @param deviceName name of the planned device
 * @param deviceMemoryBytes device memory of one rank; 0 if the device is not on this machine
 * @param machineMemoryBytes device memory of all ranks together if they share a device; otherwise the same
 * @param counted the counts of the dry run
 * @param asValues the counts without FP8 transfers; the same as {@code counted} if the run has none
 * @param uncountedFabric fabric whose internal buffers are not counted; empty if everything is counted
 * @param warnings about valid settings that are probably a mistake
 */
public record RunForecast(
    String run,
    String deviceName,
    long deviceMemoryBytes,
    long machineMemoryBytes,
    DryRun.Counted counted,
    DryRun.Counted asValues,
    String uncountedFabric,
    List<String> warnings) {
  public RunForecast {
    warnings = List.copyOf(warnings);
  }

  /** Whether every rank's peak fits into device memory; true if the device memory is unknown. */
  public boolean fits() {
    return deviceMemoryBytes == 0 || heaviest().peakTotalBytes() <= deviceMemoryBytes;
  }

  /** The rank with the highest memory peak. */
  int heaviestRank() {
    var ranks = counted.ranks();
    return IntStream.range(0, ranks.size())
        .boxed()
        .max(Comparator.comparing((Integer rank) -> ranks.get(rank).peakTotalBytes()).thenComparing(Comparator.reverseOrder()))
        .orElseThrow();
  }

  /** The counts of {@link #heaviest} without FP8 transfers. */
  DryRun.OfRank heaviestAsValues() {
    return asValues.ranks().get(heaviestRank());
  }

  DryRun.OfRank heaviest() {
    return counted.ranks().get(heaviestRank());
  }
}
