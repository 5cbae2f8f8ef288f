package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.lib.files.RuinedMark;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What a checkpoint says against continuing from it. */
public final class Marks {
    private Marks() {}

    /**
     * Why training cannot continue from a checkpoint, with its path; empty for others.
     *
     * @param values of the checkpoint
     */
    public static Optional<String> ruin(CheckpointInfo checkpoint, Map<String, Object> values) {
        try {
            return Optional.ofNullable(values.get(SavedValues.RUINED))
                    .map(Object::toString)
                    .or(() -> later(checkpoint))
                    .map(reason -> checkpoint.path() + " is marked: " + reason);
        } catch (CheckpointException unreadable) {
            return Optional.of(unreadable.getMessage());
        }
    }

    private static Optional<String> later(CheckpointInfo checkpoint) {
        try {
            return RuinedMark.read(checkpoint.path());
        } catch (IOException failure) {
            throw new CheckpointException(
                    checkpoint.path() + ": its mark cannot be read: " + Reason.of(failure), failure);
        }
    }

    /** That the last step before a checkpoint trained nothing; empty for others. */
    public static Optional<String> vanished(CheckpointInfo checkpoint, Map<String, Object> values) {
        return Optional.ofNullable(values.get(SavedValues.VANISHED))
                .map(reason -> checkpoint.path() + " is marked: " + reason + ", so that it trained nothing");
    }

    /** Either of both. */
    public static Optional<String> any(CheckpointInfo checkpoint, Map<String, Object> values) {
        return ruin(checkpoint, values).or(() -> vanished(checkpoint, values));
    }

    /**
     * Which checkpoint to take, with the command.
     *
     * @param all checkpoints, newest first
     * @param before a step; only earlier ones are considered
     * @param mark of a checkpoint; empty for a good one
     */
    public static String advice(
            List<FoundCheckpoint> all,
            long before,
            Function<CheckpointInfo, Optional<String>> mark,
            ResumeRequest request) {
        return all.stream()
                .filter(found ->
                        found.isWhole() && found.checkpoint().step() < before && isSound(found.checkpoint(), mark))
                .findFirst()
                .map(good ->
                        "the newest good checkpoint is " + good.checkpoint().path()
                                + ": continue from it, with a lower learning rate for instance, with "
                                + request.commandAt(good.checkpoint().step()))
                .orElse(
                        "there is no good checkpoint before it; start a new run under another run.name, with a lower learning rate for instance");
    }

    private static boolean isSound(CheckpointInfo checkpoint, Function<CheckpointInfo, Optional<String>> ruin) {
        try {
            return ruin.apply(checkpoint).isEmpty();
        } catch (CheckpointException damaged) {
            return false;
        }
    }
}
