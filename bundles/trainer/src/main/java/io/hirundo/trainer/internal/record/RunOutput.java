package io.hirundo.trainer.internal.record;

import io.hirundo.StorageException;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.lib.run.config.RunConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that a run writes below its directory, checked before the run starts.
 *
 * @param checkpoints whether it saves any
 * @param model whether it writes the trained model
 * @param fingerprints whether it writes any
 */
public record RunOutput(RunDirectory directory, boolean checkpoints, boolean model, boolean fingerprints) {
    public static RunOutput of(RunDirectory directory, RunConfiguration configuration) {
        return new RunOutput(
                directory,
                configuration.checkpoint().strategy() != null,
                configuration.model().export(),
                !configuration.fingerprints().steps().isEmpty());
    }

    /** Checks a place that the run will write to. */
    @FunctionalInterface
    private interface Check {
        void require(Path path) throws IOException;
    }

    /**
     * Checks every place that this process writes to.
     *
     * @param ranks of this process, each of which keeps a log
     * @throws StorageException that names the first place that cannot be written
     */
    public void requireWritable(List<Integer> ranks) {
        ranks.forEach(rank -> require(directory.log(rank), OutputFiles::requireOwnFile));
        if (checkpoints) {
            require(directory.checkpoints(), OutputFiles::requireFolder);
        }
        if (directory.leads() && fingerprints) {
            require(directory.fingerprints(), OutputFiles::requireOwnFile);
        }
        if (directory.leads() && model) {
            require(directory.model(), OutputFiles::requireFolder);
        }
    }

    private static void require(Path path, Check check) {
        try {
            check.require(path);
        } catch (IOException failure) {
            throw new StorageException("run.directory: cannot write " + OutputFiles.explain(path, failure), failure);
        }
    }
}
