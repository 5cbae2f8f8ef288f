package io.hirundo.trainer.internal.session;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.lib.engine.layout.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of measurements and saves that the configuration asks for and the run cannot provide; repeated when a change causes one. */
public final class RunWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(RunWarnings.class);
    private static final String ROUNDS = "rounds";

    private final LocalRun run;
    private final boolean leads;
    private List<String> logged = List.of();

    /** {@code leads}: whether this process logs for all. */
    public RunWarnings(LocalRun run, boolean leads) {
        this.run = run;
        this.leads = leads;
    }

    /** All processes must call this, with the same configuration. */
    public void logNew() {
        var evaluation = run.configuration().evaluation();
        var lines = new ArrayList<String>();
        if (evaluation.kernelTimesEverySteps() > 0 && !timesKernels(run.device())) {
            lines.add("evaluation.kernelTimesEverySteps: the device "
                    + run.device().info().backend() + " does not time its kernels, so no kernel times are reported");
        }
        if (evaluation.roundingEverySteps() > 0 && run.device().computes() && !roundsAnywhere()) {
            lines.add("evaluation.roundingEverySteps: precision "
                    + run.configuration().precision().name()
                    + " computes no layer of this model in 8 bits, so no quantization error is reported");
        }
        saves().ifPresent(lines::add);
        run.rates().note(run.configuration().training().steps()).ifPresent(lines::add);
        stages().ifPresent(lines::add);
        if (run.data().isThere()) {
            var data = run.data().get();
            data.samples().repetition().ifPresent(line -> lines.add("data.source: " + line));
            data.validations().forEach((name, set) -> {
                if (set != data.samples()) {
                    set.repetition().ifPresent(line -> lines.add("evaluation data " + name + ": " + line));
                }
            });
        }
        if (leads) {
            lines.stream().filter(line -> !logged.contains(line)).forEach(line -> LOG.warn("{}", line));
        }
        logged = lines;
    }

    private Optional<String> stages() {
        var mesh = run.configuration().mesh();
        var schedule = run.strategies().parallel().schedule();
        return Stages.withoutLayers(
                run.spec(), Stages.of(run.spec(), run.configuration().stages(), schedule, mesh.pipeline()));
    }

    private Optional<String> saves() {
        var checkpoint = run.configuration().checkpoint();
        if (checkpoint.strategy() != null || checkpoint.everySteps() == 0 && checkpoint.everySeconds() == 0) {
            return Optional.empty();
        }
        return Optional.of(
                (checkpoint.everySteps() > 0 ? "checkpoint.everySteps" : "checkpoint.everySeconds")
                        + ": nothing is saved without a checkpoint.strategy; set one, sync for instance, or remove this setting");
    }

    private static boolean timesKernels(Device device) {
        try (KernelTimer timer = device.timeKernels().orElse(null)) {
            return timer != null;
        }
    }

    /** Another process's pipeline stage may have the only quantized layers. */
    private boolean roundsAnywhere() {
        boolean here = run.onEachRank(part -> part.model().blocks().layers().roundsOperands())
                .contains(true);
        return run.exchange(here ? ROUNDS : "").contains(ROUNDS);
    }
}
