package io.hirundo.runreport.internal.history;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * A run's history, read from its files.
 *
 * @param name of the run's folder
 * @param loss training loss by step, in nats per token
 * @param validation loss by dataset, in nats per token
 * @param learningRate by step
 * @param gradientNorm global, before clipping, by step
 * @param tokensPerSecond by step
 * @param tokens of all steps together
 * @param stepNanos time of all steps together, without evaluations and saves
 * @param peakBytes highest memory of each category, in the order of the file; of the first rank
 * @param events in the order of the file
 * @param samples in the order of the file
 * @param configuration {@code config.json}, indented
 * @param unreadableLines lines of {@code metrics.jsonl} that are not JSON objects, for example the last line of a killed run
 */
public record RunHistory(
        String name,
        Series loss,
        SortedMap<String, Series> validation,
        Series learningRate,
        Series gradientNorm,
        Series tokensPerSecond,
        long tokens,
        long stepNanos,
        Map<String, Long> peakBytes,
        List<RunEvent> events,
        List<Sample> samples,
        String configuration,
        int unreadableLines) {
    /** The last completed step; 0 if there is none. */
    public long lastStep() {
        return loss.isEmpty() ? 0 : loss.step(loss.size() - 1);
    }
}
