package io.hirundo.trainer.internal.session;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.trainer.internal.layout.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a run is asked to measure or save and cannot: told before anybody waits for it, and anew where a change makes it so. */
public final class RunWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(RunWarnings.class);
  private static final String ROUNDS = "rounds";

  private final LocalRun run;
  private final boolean leads;
  private List<String> told = List.of();

  /** {@code leads}: whether this process speaks for all. */
  public RunWarnings(LocalRun run, boolean leads) {
    this.run = run;
    this.leads = leads;
  }

  /** All processes must call this, with the same configuration. */
  public void tell() {
    var evaluation = run.configuration().evaluation();
    var lines = new ArrayList<String>();
    if (evaluation.kernelTimesEverySteps() > 0 && !timesKernels(run.device())) {
      lines.add(
          "evaluation.kernelTimesEverySteps: the device " + run.device().info().backend()
              + " does not time its kernels, so nothing is told of them");
    }
    if (evaluation.roundingEverySteps() > 0 && run.device().computes() && !roundsAnywhere()) {
      lines.add(
          "evaluation.roundingEverySteps: precision " + run.configuration().precision().name()
              + " computes no layer of this model in 8 bits, so nothing is told of what rounding loses");
    }
    saves().ifPresent(lines::add);
    stages().ifPresent(lines::add);
    if (leads) {
      lines.stream().filter(line -> !told.contains(line)).forEach(line -> LOG.warn("{}", line));
    }
    told = lines;
  }

  private Optional<String> stages() {
    var mesh = run.configuration().mesh();
    var schedule = run.strategies().parallel().schedule();
    return Stages.withoutLayers(run.spec(), Stages.of(run.spec(), mesh.stageLayers(), schedule, mesh.pipeline()));
  }

  private Optional<String> saves() {
    var checkpoint = run.configuration().checkpoint();
    if (checkpoint.strategy() != null || checkpoint.everySteps() == 0 && checkpoint.everySeconds() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        (checkpoint.everySteps() > 0 ? "checkpoint.everySteps" : "checkpoint.everySeconds")
            + ": nothing is saved without a checkpoint.strategy; give one, sync for instance, or leave it out");
  }

  private static boolean timesKernels(Device device) {
    try (KernelTimer timer = device.timeKernels().orElse(null)) {
      return timer != null;
    }
  }

  /** A stage of the pipeline in another process may have the only such layers. */
  private boolean roundsAnywhere() {
    boolean here = run.onEachRank(part -> part.model().blocks().layers().roundsOperands()).contains(true);
    return run.exchange(here ? ROUNDS : "").contains(ROUNDS);
  }
}
