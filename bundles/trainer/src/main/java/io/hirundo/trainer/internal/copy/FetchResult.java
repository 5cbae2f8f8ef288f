package io.hirundo.trainer.internal.copy;

import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.TrainingEvent;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The result of looking for a newer checkpoint in the run's store.
 *
 * @param passedOver damaged copies that were skipped, newest first
 * @param copy the fetched copy; empty if none was fetched
 */
public record FetchResult(List<PassedOver> passedOver, Optional<CheckpointFetched> copy) {
    /** The result without a store. */
    public static final FetchResult NOTHING = new FetchResult(List.of(), Optional.empty());

    /**
     * A damaged copy that was skipped.
     *
     * @param path the local path that the copy would have had
     */
    public record PassedOver(Path path, String reason) {}

    public FetchResult {
        passedOver = List.copyOf(passedOver);
    }

    /** The events to report. {@code step}: the step from which the run resumes, which may differ from that of the copy. */
    public List<TrainingEvent> events(long step) {
        Stream<TrainingEvent> damaged =
                passedOver.stream().map(passed -> new CheckpointPassedOver(step, passed.path(), passed.reason()));
        return Stream.concat(damaged, copy.stream()).toList();
    }
}
