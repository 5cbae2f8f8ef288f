package io.hirundo.trainer.internal.plan;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a run will need.
 *
 * @param run its name
 * @param deviceName the device that it is planned for
 * @param deviceMemoryBytes what a rank has of that device; 0 if it is not on this machine
 * @param machineMemoryBytes what all its ranks together have, where they share a device; otherwise the same
 * @param counted what was counted
 * @param asValues what would be counted if nothing were sent in fewer bits than it has; the same where nothing is
 * @param uncountedFabric whose own memory is not in it; empty where all is counted
 * @param warnings of what can be run but is hardly meant
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

  /** Whether every rank's peak fits the device; true where its memory is not known. */
  public boolean fits() {
    return deviceMemoryBytes == 0 || heaviest().peakTotalBytes() <= deviceMemoryBytes;
  }

  /** Number of the rank that needs most memory. */
  int heaviestRank() {
    var ranks = counted.ranks();
    return IntStream.range(0, ranks.size())
        .boxed()
        .max(Comparator.comparing((Integer rank) -> ranks.get(rank).peakTotalBytes()).thenComparing(Comparator.reverseOrder()))
        .orElseThrow();
  }

  /** What {@link #heaviest} would send as values. */
  DryRun.OfRank heaviestAsValues() {
    return asValues.ranks().get(heaviestRank());
  }

  DryRun.OfRank heaviest() {
    return counted.ranks().get(heaviestRank());
  }
}
