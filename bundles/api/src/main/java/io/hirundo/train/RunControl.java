package io.hirundo.train;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Steers a training while it runs: an OSGi service in the process that leads the run, from before its first step to its end. Every wish
 * is granted or refused at the next step boundary, by all ranks together; none of the calls waits for it. Thread-safe.
 */
@ProviderType
public interface RunControl {
  /** Service property: name of the run. */
  String NAME = "hirundo.run";

  /** Where the run is now. */
  RunStatus status();

  /** What the run works with now, in the order of the configuration. */
  List<StrategyInUse> strategies();

  /** The settings that {@link #change} takes, with their values now, in the order of the configuration. */
  List<RunSetting> settings();

  /**
   * Goes on with a changed configuration: another precision, schedule, blend, learning rate.
   *
   * @param assignments {@code path=value} each, as after {@code --set}; applied together or not at all
   * @return what became of it; a refusal leaves the run as it was
   */
  CompletableFuture<Decision> change(List<String> assignments);

  /** Saves the training state; decided when it is durable. */
  CompletableFuture<Decision> saveCheckpoint();

  /** Does no further step until {@link #resume}; everything stays open. */
  CompletableFuture<Decision> pause();

  /** Ends a pause. */
  CompletableFuture<Decision> resume();

  /** Ends the run as Ctrl-C does; its state is saved where its configuration says so. */
  CompletableFuture<Decision> stop();
}
