package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.run.section.CheckpointSection;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The allowed differences between the tensors of a checkpoint and a run, as the configuration names them.
 *
 * @param allowMissing names of tensors that a checkpoint may lack; {@code *} matches any text
 * @param allowUnexpected names of tensors that only the checkpoint may have
 * @param option with which the checkpoint was asked for
 * @param remedy what else the user can do
 */
record TensorExceptions(List<String> allowMissing, List<String> allowUnexpected, String option, String remedy) {
    private static final Logger LOG = LoggerFactory.getLogger(TensorExceptions.class);
    private static final int MAX_NAMES = 3;

    /** {@code request} is empty where the run returns to a checkpoint of its own. */
    static TensorExceptions of(CheckpointSection section, Optional<ResumeRequest> request) {
        boolean takesOptimizer = request.filter(asked -> asked.source().isPresent())
                .filter(asked -> asked.with() == StartWith.OPTIMIZER)
                .isPresent();
        return new TensorExceptions(
                section.allowMissing(),
                section.allowUnexpected(),
                option(request),
                (option(request).equals("--resume") ? "resume" : "start")
                        + " with the configuration that it was made with"
                        + (takesOptimizer ? ", or with --start-with weights" : ""));
    }

    private static String option(Optional<ResumeRequest> request) {
        return request.map(ResumeRequest::option).orElse("--resume");
    }

    /**
     * Rejects differences that no exception names. Warns about unused exceptions, because they could hide a later difference.
     *
     * @param missing tensors of the run that the checkpoint lacks
     * @param unexpected tensors that only the checkpoint has
     */
    void require(CheckpointInfo checkpoint, List<String> missing, List<String> unexpected) {
        requireNamed(
                "checkpoint.allowMissing", allowMissing, checkpoint, "lacks", missing, "keep their initial values");
        requireNamed(
                "checkpoint.allowUnexpected",
                allowUnexpected,
                checkpoint,
                "has, and the run has not,",
                unexpected,
                "be left out");
    }

    private void requireNamed(
            String setting,
            List<String> patterns,
            CheckpointInfo checkpoint,
            String verb,
            List<String> names,
            String then) {
        List<String> rejected = names.stream()
                .filter(name -> patterns.stream().noneMatch(pattern -> matches(pattern, name)))
                .toList();
        if (!rejected.isEmpty()) {
            String more = rejected.size() > MAX_NAMES ? " and " + (rejected.size() - MAX_NAMES) + " more" : "";
            throw new ConfigurationException(option + ": " + checkpoint.path() + " " + verb + " "
                    + String.join(", ", rejected.subList(0, Math.min(MAX_NAMES, rejected.size()))) + more
                    + "; " + remedy + ", or name in " + setting + " what may "
                    + then);
        }
        for (String pattern : patterns) {
            if (names.stream().noneMatch(name -> matches(pattern, name))) {
                LOG.warn(
                        "{}: {} was not needed for {}; remove it, so that it hides nothing",
                        setting,
                        pattern,
                        checkpoint.path());
            }
        }
    }

    private static boolean matches(String pattern, String name) {
        String expression =
                Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return name.matches(expression);
    }
}
