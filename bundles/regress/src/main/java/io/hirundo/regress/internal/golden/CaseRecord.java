package io.hirundo.regress.internal.golden;

import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The result of a case.
 *
 * @param name name of the case
 * @param precision name of its precision strategy
 * @param operandTypes dtypes that this strategy multiplies in; empty in files of versions before 0.28, which did not record them
 * @param settings digest of its complete configuration
 * @param tokensPerStep tokens of the global batch
 * @param steps all steps, in order
 * @param fingerprints fingerprints of the chosen steps, in order
 * @param peakBytes peak accounted memory by category, for each rank in rank order
 * @param speed measured speed
 */
public record CaseRecord(
        String name,
        String precision,
        Set<DType> operandTypes,
        String settings,
        long tokensPerStep,
        List<StepRecord> steps,
        List<FingerprintsTaken> fingerprints,
        List<SortedMap<String, Long>> peakBytes,
        Speed speed) {
    /**
     * The speed of a case, which differs between runs.
     *
     * @param tokensPerSecond throughput of the fastest step
     * @param seconds duration of the case, from opening to closing
     */
    public record Speed(double tokensPerSecond, double seconds) {}

    public CaseRecord {
        operandTypes = Set.copyOf(operandTypes);
        steps = List.copyOf(steps);
        fingerprints = List.copyOf(fingerprints);
        var ranks = new ArrayList<SortedMap<String, Long>>();
        peakBytes.forEach(rank -> ranks.add(Collections.unmodifiableSortedMap(new TreeMap<>(rank))));
        peakBytes = Collections.unmodifiableList(ranks);
    }

    /** The fingerprints of a step; null if there are none. */
    public FingerprintsTaken fingerprintsOf(long step) {
        return fingerprints.stream()
                .filter(taken -> taken.step() == step)
                .findFirst()
                .orElse(null);
    }
}
