package io.hirundo.lib.run.config;

import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.configuration.binding.Spelling;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.lib.run.section.FingerprintsSection;
import io.hirundo.lib.run.section.MeshAxis;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.lib.run.section.SizeLimits;
import io.hirundo.lib.run.section.TrainingSection;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks settings that depend on each other. */
final class ConfigurationCheck {
    /** Leaves room for file names below the directory on every file system. */
    private static final int LONGEST_NAME = 100;

    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}._+=@-]*");

    /** The name that the validation part of {@code data.source} has in metrics. */
    private static final String VALIDATION = "validation";

    private final Problems problems;

    ConfigurationCheck(Problems problems) {
        this.problems = problems;
    }

    void check(RunConfiguration configuration) {
        checkName(configuration.run().name());
        checkModel(configuration.model());
        checkMesh(configuration.mesh());
        checkBatches(configuration.training(), configuration.mesh());
        if (configuration.checkpoint().store() != null
                && configuration.checkpoint().strategy() == null) {
            problems.add(
                    "checkpoint.store",
                    "there is nothing to copy without a checkpoint.strategy; allowed: null, or give a strategy");
        }
        configuration.evaluation().watched().keySet().forEach(this::checkWatched);
        if (configuration.evaluation().watched().containsKey(VALIDATION)) {
            problems.add(
                    "evaluation.watched." + VALIDATION,
                    "the name is taken by the validation part of data.source; allowed: any other name");
        }
        checkAudit(configuration);
        if (configuration.samples().areOn()) {
            checkSamples(configuration);
        }
        checkFingerprints(configuration.fingerprints(), configuration.training().steps());
    }

    private void checkFingerprints(FingerprintsSection fingerprints, long steps) {
        fingerprints.steps().stream()
                .filter(step -> step > steps)
                .forEach(step -> problems.add(
                        "fingerprints.steps",
                        "the run ends before step " + step + "; allowed: 1 to training.steps, " + steps));
    }

    private void checkAudit(RunConfiguration configuration) {
        AuditSection audit = configuration.audit();
        if (audit.isOn() && configuration.evaluation().roundingEverySteps() == 1) {
            problems.add(
                    "evaluation.roundingEverySteps",
                    "steps that measure rounding are not audited, so that none would be; allowed: 0, 2 or more, or audit.rate=0");
        }
        var checkpoint = configuration.checkpoint();
        boolean saves = checkpoint.strategy() != null && (checkpoint.everySteps() > 0 || checkpoint.everySeconds() > 0);
        if (audit.isOn() && audit.onFinding() == OnFinding.ROLLBACK && !saves) {
            problems.add(
                    "audit.onFinding",
                    "a rollback needs checkpoints on the way; allowed: log or pause, or set checkpoint.strategy and checkpoint.everySteps");
        }
    }

    private void checkSamples(RunConfiguration configuration) {
        if (configuration.samples().prompts().isEmpty()) {
            problems.add(
                    "samples.prompts",
                    "there is nothing to continue; allowed: one text or more, or samples.everySteps=0");
        }
        if (configuration.data().tokenizer() == null) {
            problems.add("samples.everySteps", "samples need a data.tokenizer; allowed: 0, or give a tokenizer");
        }
        int ranks = configuration.mesh().mesh().ranks();
        if (ranks > 1) {
            problems.add(
                    "samples.everySteps",
                    "the model is on " + ranks
                            + " ranks, and samples need it on one; allowed: 0, or a mesh of one rank (sample the trained model with"
                            + " hirundo generate)");
        }
    }

    private void checkName(String name) {
        if (!NAME.matcher(name).matches() || name.length() > LONGEST_NAME) {
            problems.add(
                    "run.name",
                    "\"" + Excerpt.of(name) + "\" cannot name a directory; allowed: up to " + LONGEST_NAME
                            + " letters, digits and the signs . _ + = @ -, the first a letter, a digit or _");
        }
    }

    private void checkModel(ModelSection model) {
        if (model.architecture() == null && model.from() == null) {
            problems.add(
                    "model", "there is no model; allowed: architecture for a new one, or from for one to start from");
        } else if (model.architecture() != null && model.from() != null) {
            problems.add(
                    "model",
                    "architecture and from are both given; allowed: one of them (a model that is started from brings its own)");
        }
        if (model.format() == null && (model.from() != null || model.export() && model.written() == null)) {
            problems.add(
                    "model.format",
                    "null can neither read model.from nor write the model; allowed: a format, or model.export=false and no model.from");
        }
    }

    private void checkMesh(MeshSection mesh) {
        String every = Arrays.stream(MeshAxis.values()).map(Spelling::of).collect(Collectors.joining(", "));
        boolean isPermutation = mesh.order().size() == MeshAxis.values().length
                && EnumSet.allOf(MeshAxis.class).equals(axes(mesh));
        if (!isPermutation) {
            String given = Excerpt.of(mesh.order().stream().map(Spelling::of).toList());
            problems.add("mesh.order", given + " does not name every axis once; allowed: any order of " + every);
        }
        var ranks = Arrays.stream(MeshAxis.values())
                .map(axis -> BigInteger.valueOf(mesh.size(axis)))
                .reduce(BigInteger.ONE, BigInteger::multiply);
        if (ranks.compareTo(BigInteger.valueOf(SizeLimits.RANKS)) > 0) {
            problems.add(
                    "mesh",
                    String.format(
                            Locale.ROOT,
                            "its axes multiply to %,d ranks; allowed: up to %,d",
                            ranks,
                            SizeLimits.RANKS));
        }
    }

    private void checkTokens(String path, String what, long sequences, long tokens, long most) {
        if (sequences * tokens > most) {
            problems.add(
                    path,
                    String.format(
                            Locale.ROOT,
                            "%,d sequences of %,d tokens are %,d tokens in %s; allowed: up to %,d",
                            sequences,
                            tokens,
                            sequences * tokens,
                            what,
                            most));
        }
    }

    private void checkWatched(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            problems.add(
                    "evaluation.watched." + Excerpt.of(name),
                    "the name labels a loss in metrics; allowed: 1 to " + LONGEST_NAME
                            + " characters, none of them a control character");
        }
    }

    private static EnumSet<MeshAxis> axes(MeshSection mesh) {
        EnumSet<MeshAxis> axes = EnumSet.noneOf(MeshAxis.class);
        axes.addAll(mesh.order());
        return axes;
    }

    private void checkBatches(TrainingSection training, MeshSection mesh) {
        checkTokens(
                "training.microBatch",
                "a microbatch",
                training.microBatch(),
                training.sequenceTokens(),
                SizeLimits.SEQUENCE_TOKENS);
        checkTokens(
                "training.globalBatch",
                "a step",
                training.globalBatch(),
                training.sequenceTokens(),
                SizeLimits.STEP_TOKENS);
        double tokens = (double) training.steps() * training.globalBatch() * training.sequenceTokens();
        if (tokens >= 0x1p62) {
            problems.add(
                    "training.steps",
                    String.format(Locale.ROOT, "the run has %.2g tokens; allowed: up to %.2g", tokens, 0x1p62));
        }
        long together = (long) training.microBatch() * mesh.data();
        if (training.globalBatch() % together != 0) {
            problems.add(
                    "training.globalBatch",
                    training.globalBatch() + " cannot be divided among the ranks; allowed: multiples of " + together
                            + " (training.microBatch " + training.microBatch() + " times mesh.data " + mesh.data()
                            + ")");
        }
    }
}
