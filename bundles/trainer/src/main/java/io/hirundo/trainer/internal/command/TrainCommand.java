package io.hirundo.trainer.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.plugin.UnusableServices;
import io.hirundo.lib.run.arguments.ConfigurationArguments;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.train.RunAttendant;
import io.hirundo.train.RunControl;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import io.hirundo.trainer.internal.loop.TrainingLoop;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.steer.Remedies;
import io.hirundo.trainer.internal.steer.RunSettings;
import io.hirundo.trainer.internal.steer.RunSteering;
import java.util.Hashtable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the training that a configuration describes. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=train")
@picocli.CommandLine.Command(
        name = "train",
        description = {
            "Runs the training that a configuration describes, and writes all results to its run directory.",
            "Ctrl-C ends the run after the current step and saves the training state and the model; --resume continues "
                    + "from there."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo train examples/continue-japanese.yaml",
            "  hirundo train runs/quickstart-1/config.json --set run.name=hotter \\",
            "      --set learningRate.options.peak=0.004",
            "  hirundo train examples/synthetic.yaml --tp 2 --pp 2 --dp 2",
            "  hirundo train runs/quickstart-1/config.json --resume --set training.steps=2000 --shell",
            "  hirundo train runs/quickstart-1/config.json --resume --at 600",
            "  hirundo train my.yaml --set run.name=second --start-from runs/first@700"
        })
public final class TrainCommand implements Command {
    /** The choices of {@code --lr-schedule}, spelled as they are typed. */
    private enum ScheduleOption {
        keep,
        stretch,
        restart
    }

    /** The choices of {@code --start-with}. */
    private enum StartOption {
        weights,
        optimizer,
        data
    }

    @Spec
    private CommandSpec spec;

    private final BundleContext bundle;
    private final StrategyCatalog strategies;
    private final Interruption interruption;

    /** Null in a profile without the control bundle. */
    private final RunAttendant attendant;

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<TrainingListener> listeners = List.of();

    @Mixin
    private ConfigurationArguments arguments;

    @Option(names = "--resume", description = "Continues from the newest checkpoint of the run.")
    private boolean resume;

    @Option(
            names = "--at",
            paramLabel = "STEP",
            description =
                    "With --resume, continues from the checkpoint of this step; later ones move to RUN/abandoned.")
    private Long at;

    @Option(
            names = "--start-from",
            paramLabel = "RUN[@STEP]",
            description =
                    "Begins a new run with the newest checkpoint, or that of a step, in the folder of another run.")
    private String from;

    @Option(
            names = "--start-with",
            paramLabel = "WHAT",
            description =
                    "What --start-from takes: weights (default), optimizer (weights and optimizer state), or data (also steps done, place in the data and"
                            + " learning-rate schedule).")
    private StartOption startWith;

    @Option(
            names = "--lr-schedule",
            paramLabel = "CHOICE",
            description =
                    "With --resume, how the learning-rate schedule continues: keep (its last rate stays after its end), stretch (it ends with the run;"
                            + " the rate may jump), or restart (a new one begins, with its warm-up).")
    private ScheduleOption schedule;

    @Option(
            names = "--shell",
            description = "Reads commands (status, swap precision bf16, stop; help lists them) during training.")
    private boolean shell;

    @Activate
    public TrainCommand(
            BundleContext bundle,
            @Reference StrategyCatalog strategies,
            @Reference Interruption interruption,
            @Reference(cardinality = ReferenceCardinality.OPTIONAL) RunAttendant attendant) {
        this.bundle = bundle;
        this.strategies = strategies;
        this.interruption = interruption;
        this.attendant = attendant;
    }

    @Override
    public Integer call() {
        var start = new RunStart(interruption);
        return start.call(() -> train(start));
    }

    private int train(RunStart start) {
        if (at != null && (!resume || at < 0)) {
            throw new ConfigurationException("--at: " + at
                    + (resume ? " is wrong (allowed: the step of a checkpoint)" : " needs --resume; add --resume"));
        }
        if (from != null && resume) {
            throw new ConfigurationException(
                    "--start-from: begins a new run, and --resume continues one; give one of them");
        }
        if (startWith != null && from == null) {
            throw new ConfigurationException("--start-with: " + startWith + " needs --start-from RUN; add it");
        }
        if (schedule != null && !resume && startWith != StartOption.data) {
            throw new ConfigurationException("--lr-schedule: " + schedule
                    + " needs --resume or --start-with data, because a new run begins its schedule; leave it out");
        }
        UnusableServices.warn(bundle, TrainingListener.class);
        var configuration = arguments.read(strategies);
        if (from != null && configuration.model().from() != null) {
            throw new ConfigurationException("--start-from: " + from + " and model.from "
                    + configuration.model().from() + " both give weights; add --set model.from=null and a"
                    + " model.architecture, or leave --start-from out");
        }
        Optional<ResumeRequest> request = resumption();
        try (var chosen = new RunStrategies(strategies, configuration);
                var directory = directory(configuration, chosen.strategies());
                var steering = new RunSteering(
                        configuration.run().name(),
                        directory.path(),
                        configuration.training().steps(),
                        new Remedies(
                                strategies, () -> chosen.configuration().swap().waitSeconds()),
                        () -> RunSettings.of(chosen.configuration(), strategies));
                var _ = attend(directory.leads());
                var _ = offer(configuration, directory.leads(), steering)) {
            var events = new EventBus(chosen::monitors, () -> listeners);
            var ending =
                    new TrainingLoop(chosen, directory, events, steering, interruption).run(request, start::isOver);
            if (ending.hadEnded() && directory.leads()) {
                System.out.println(configuration.run().name() + ": already at step " + ending.step()
                        + ", nothing to do; to continue, add --set training.steps=N");
            }
            return ending.interrupted() ? ExitCode.INTERRUPTED : ExitCode.OK;
        }
    }

    private Optional<ResumeRequest> resumption() {
        if (!resume && from == null) {
            return Optional.empty();
        }
        ScheduleChoice choice = schedule == null
                ? ScheduleChoice.UNCHANGED
                : ScheduleChoice.valueOf(schedule.name().toUpperCase(Locale.ROOT));
        OptionalLong step = at == null ? OptionalLong.empty() : OptionalLong.of(at);
        List<String> words = CommandWords.without(spec, Set.of("--at", "--lr-schedule", "--start-from"));
        if (resume) {
            return Optional.of(new ResumeRequest(step, choice, words));
        }
        StartWith with = startWith == null
                ? StartWith.WEIGHTS
                : StartWith.valueOf(startWith.name().toUpperCase(Locale.ROOT));
        return Optional.of(RunStep.parse(from).request(with, choice, words));
    }

    /** In a run of several processes, rank 0's process owns the user's terminal. */
    private RunAttendant.Attendance attend(boolean leads) {
        if (attendant != null) {
            return attendant.attend(shell && leads);
        }
        if (shell) {
            throw new ConfigurationException(
                    "--shell: this profile lacks the bundle io.hirundo.control; remove --shell, or start with --profile cpu");
        }
        return () -> {};
    }

    /** Registers the run's control service; closing the result unregisters it. */
    private RunAttendant.Attendance offer(RunConfiguration configuration, boolean leads, RunControl control) {
        if (!leads) {
            return () -> {};
        }
        var properties = new Hashtable<String, Object>(
                Map.of(RunControl.NAME, configuration.run().name()));
        ServiceRegistration<RunControl> registration = bundle.registerService(RunControl.class, control, properties);
        return registration::unregister;
    }

    /** In a run of several processes, the one with rank 0 leads. */
    private RunDirectory directory(RunConfiguration configuration, Strategies chosen) {
        boolean leads = chosen.parallel()
                .fabric()
                .localRanks(configuration.mesh().mesh())
                .contains(0);
        if (!leads) {
            return RunDirectory.led(configuration.run());
        }
        boolean isElsewhere = resume && configuration.checkpoint().store() != null;
        return isElsewhere
                ? RunDirectory.restored(configuration.run())
                : RunDirectory.open(configuration.run(), resume);
    }
}
