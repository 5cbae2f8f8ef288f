package io.hirundo.regress.internal.golden;

import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a case gave.
 *
 * @param name of the case
 * @param precision name of its precision strategy
 * @param settings digest of its complete configuration
 * @param tokensPerStep of the global batch
 * @param steps all of them, in order
 * @param fingerprints of the steps that were chosen, in order
 * @param peakBytes highest accounted memory by category: of each rank, in the order of their numbers
 * @param speed how fast it was
 */
public record CaseRecord(
    String name,
    String precision,
    String settings,
    long tokensPerStep,
    List<StepRecord> steps,
    List<FingerprintsTaken> fingerprints,
    List<SortedMap<String, Long>> peakBytes,
    Speed speed) {
  /**
   * How fast a case was; of no two runs the same.
   *
   * @param tokensPerSecond of the fastest step
   * @param seconds of the case, from opening to closing
   */
  public record Speed(double tokensPerSecond, double seconds) {}

  public CaseRecord {
    steps = List.copyOf(steps);
    fingerprints = List.copyOf(fingerprints);
    var ranks = new ArrayList<SortedMap<String, Long>>();
    peakBytes.forEach(rank -> ranks.add(Collections.unmodifiableSortedMap(new TreeMap<>(rank))));
    peakBytes = Collections.unmodifiableList(ranks);
  }

  /** Fingerprints of a step; null where none were taken. */
  public FingerprintsTaken fingerprintsOf(long step) {
    return fingerprints.stream().filter(taken -> taken.step() == step).findFirst().orElse(null);
  }
}
