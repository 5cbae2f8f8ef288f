package io.hirundo.trainer.internal.copy;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.CheckpointFetched;
import io.hirundo.event.TrainingEvent.CheckpointPassedOver;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What came of a look at a run's store.
 *
 * @param passedOver newest first
 * @param copy that was fetched; empty where nothing was
 */
public record FetchResult(List<PassedOver> passedOver, Optional<CheckpointFetched> copy) {
  /** There is no store. */
  public static final FetchResult NOTHING = new FetchResult(List.of(), Optional.empty());

  /**
   * A copy that is damaged.
   *
   * @param path that it would have here
   */
  public record PassedOver(Path path, String reason) {}

  public FetchResult {
    passedOver = List.copyOf(passedOver);
  }

  /** What is to be told; {@code step}: that the run goes on from, which need not be that of the copy. */
  public List<TrainingEvent> events(long step) {
    Stream<TrainingEvent> damaged = passedOver.stream().map(passed -> new CheckpointPassedOver(step, passed.path(), passed.reason()));
    return Stream.concat(damaged, copy.stream()).toList();
  }
}
