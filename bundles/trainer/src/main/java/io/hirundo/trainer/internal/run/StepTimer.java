package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has a device time its kernels in the steps that are chosen for it. */
final class StepTimer {
  private static final Logger LOG = LoggerFactory.getLogger(StepTimer.class);

  private boolean told;
  private Optional<KernelTimes> times = Optional.empty();

  /**
   * Does a step's work.
   *
   * @param everySteps which steps are timed; 0 for none
   */
  <T> T time(Device device, long everySteps, long step, Supplier<T> work) {
    times = Optional.empty();
    if (!TrainingLoop.isDue(step, everySteps)) {
      return work.get();
    }
    try (KernelTimer timer = device.timeKernels().orElse(null)) {
      T result = work.get();
      if (timer == null) {
        tell(device);
      } else {
        times = Optional.of(timer.times());
      }
      return result;
    }
  }

  private void tell(Device device) {
    if (!told) {
      told = true;
      LOG.warn(
          "evaluation.kernelTimesEverySteps: the device {} does not time its kernels, so nothing is told of them",
          device.info().backend());
    }
  }

  /** What kernels took in the last step; empty where they were not timed. */
  Optional<KernelTimes> times() {
    return times;
  }
}
