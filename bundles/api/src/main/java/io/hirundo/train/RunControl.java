package io.hirundo.train;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Controls a running training. Registered as an OSGi service in the process that leads the run, from before its first step to its
 * end. All ranks together accept or reject each change request at the next step boundary; no call blocks until then. Thread-safe.
 */
@ProviderType
public interface RunControl {
    /** Service property: name of the run. */
    String NAME = "hirundo.run";

    /** Current state of the run. */
    RunStatus status();

    /** What the run does for a change request between two steps; empty while it computes steps, and by default. */
    default Optional<ChangeProgress> changeProgress() {
        return Optional.empty();
    }

    /** Strategies in use, in configuration order. */
    List<StrategyInUse> strategies();

    /** Settings that {@link #change} accepts, with their current values, in configuration order. */
    List<RunSetting> settings();

    /**
     * Requests a changed configuration: another precision, schedule, blend or learning rate.
     *
     * @param assignments {@code path=value} each, as after {@code --set}; applied together or not at all
     * @return the decision; a rejected request leaves the run unchanged
     */
    CompletableFuture<Decision> change(List<String> assignments);

    /** Saves the training state; completes when it is durable. */
    CompletableFuture<Decision> saveCheckpoint();

    /** Pauses before the next step until {@link #resume}; keeps everything open. */
    CompletableFuture<Decision> pause();

    /** Ends a pause. */
    CompletableFuture<Decision> resume();

    /** Ends the run like Ctrl-C; saves its state if the configuration says so. */
    CompletableFuture<Decision> stop();
}
