package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.lib.files.RuinedMark;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.checkpoint.value.Marks;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a run that diverged.
 *
 * @param directory of the checkpoints
 * @param mark why training should not continue from a checkpoint
 */
record DivergedCheckpoints(Path directory, Function<CheckpointInfo, Optional<String>> mark) {
    private static final Logger LOG = LoggerFactory.getLogger(DivergedCheckpoints.class);

    /**
     * Marks those that the diverged step began with: the same step would diverge again. Returns from where to continue.
     *
     * @param all newest first
     */
    String mark(List<FoundCheckpoint> all, long step, String what) {
        for (FoundCheckpoint found : all) {
            if (found.checkpoint().step() == step - 1) {
                try {
                    RuinedMark.write(found.checkpoint().path(), "training from it diverged: " + what);
                } catch (IOException failure) {
                    LOG.error(
                            "{} leads to a diverged step, but cannot be marked: {}",
                            found.checkpoint().path(),
                            Reason.of(failure));
                }
            }
        }
        return Marks.advice(
                all, step - 1, mark, ResumeRequest.newest(directory.resolveSibling(RunFolder.CONFIGURATION)));
    }
}
