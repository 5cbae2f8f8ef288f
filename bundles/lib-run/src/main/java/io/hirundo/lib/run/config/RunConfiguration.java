package io.hirundo.lib.run.config;

import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.audit.AuditChooser;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.CheckpointSection;
import io.hirundo.lib.run.section.DataSection;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.FingerprintsSection;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.lib.run.section.RunSection;
import io.hirundo.lib.run.section.SamplesSection;
import io.hirundo.lib.run.section.SwapSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.List;

/** All settings of a run. The {@code config.json} of a run directory holds one. */
public record RunConfiguration(
        @Setting(value = "Version of this format", min = 1) int schemaVersion,

        @Setting("Seed of the initial weights and of the order of the samples")
        long seed,

        @Setting("Name and directory of the run") RunSection run,
        @Setting("The model to train") ModelSection model,

        @Setting("Device backend") @ChoiceOf(ComputeBackend.class)
        Choice device,

        @Setting("Dtypes of parameters and activations, and the GEMMs between them")
        @ChoiceOf(PrecisionStrategy.class)
        @Changeable(RunPart.PRECISION)
        Choice precision,

        @Setting("Parallelism: mesh axes, their sizes and strategies")
        MeshSection mesh,

        @Setting("Length of the training and batch sizes") TrainingSection training,

        @Setting("The update rule") @ChoiceOf(Optimizer.class) @Changeable(RunPart.OPTIMIZER)
        Choice optimizer,

        @Setting("The learning rate of each step") @ChoiceOf(LearningRateSchedule.class) @Changeable(RunPart.STEP)
        Choice learningRate,

        @Setting("Training data and tokenizer") DataSection data,

        @Setting("When the validation loss, the quantization error and kernel times are measured") @Changeable
        EvaluationSection evaluation,

        @Setting("Text samples that the model generates during training")
        SamplesSection samples,

        @Setting("Steps whose gradient and weight fingerprints are written")
        FingerprintsSection fingerprints,

        @Setting("When and how the training state is saved") @Changeable
        CheckpointSection checkpoint,

        @Setting("How strategies are replaced during a run") @Changeable
        SwapSection swap,

        @Setting("How the run checks its own arithmetic") AuditSection audit,

        @Setting("Listeners that report the run's progress") @ChoiceOf(TrainingListener.class) @Changeable
        List<Choice> monitors) {

    /** The newest format that is understood. */
    public static final int SCHEMA_VERSION = 1;

    public RunConfiguration {
        monitors = List.copyOf(monitors);
    }

    /** Draws what is audited, the same on every rank. */
    public AuditChooser auditChooser() {
        return new AuditChooser(seed, audit.rate());
    }

    /** A copy that audits once a step, if auditing is off here. */
    public RunConfiguration audited() {
        return audit.isOn() ? this : with(training, new AuditSection(1, audit.onFinding(), audit.rollbacks()));
    }

    /** A copy with another length of the learning-rate schedule. */
    public RunConfiguration withScheduleSteps(long scheduleSteps) {
        var steps = new TrainingSection(
                training.steps(),
                training.sequenceTokens(),
                training.microBatch(),
                training.globalBatch(),
                training.clipNorm(),
                training.recompute(),
                scheduleSteps);
        return with(steps, audit);
    }

    /** What this run wants of its pipeline stages. */
    public StageRequest stages() {
        long microbatches = Math.max(1, training.globalBatch() / ((long) training.microBatch() * mesh.data()));
        return new StageRequest(
                mesh.stageLayers(),
                mesh.stageMargin(),
                training.microBatch(),
                training.sequenceTokens(),
                mesh.context(),
                microbatches);
    }

    private RunConfiguration with(TrainingSection training, AuditSection audit) {
        return new RunConfiguration(
                schemaVersion,
                seed,
                run,
                model,
                device,
                precision,
                mesh,
                training,
                optimizer,
                learningRate,
                data,
                evaluation,
                samples,
                fingerprints,
                checkpoint,
                swap,
                audit,
                monitors);
    }

    /** The defaults. */
    public RunConfiguration() {
        this(
                SCHEMA_VERSION,
                1234,
                new RunSection(),
                new ModelSection(),
                Choice.of("cpu"),
                Choice.of("fp32"),
                new MeshSection(),
                new TrainingSection(),
                Choice.of("adamw"),
                Choice.of("cosine"),
                new DataSection(),
                new EvaluationSection(),
                new SamplesSection(),
                new FingerprintsSection(),
                new CheckpointSection(),
                new SwapSection(),
                new AuditSection(),
                List.of(Choice.of("console"), Choice.of("jsonl")));
    }
}
