package io.hirundo.devicecuda.internal.suite;

import io.hirundo.HirundoException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The parts of the suite, one after the other.
 *
 * @param cases kernels to compare
 * @param copiedBytes size of the tensors whose copies are timed
 */
record GpuSuite(List<KernelCase> cases, long copiedBytes) {
  /** Too large for any cache. */
  static final long COPIED_BYTES = 1L << 30;

  /**
   * What was found.
   *
   * @param failures names of cases and how they differ
   * @param notRun cases after the one with which the GPU stopped working, the last of the failures
   * @param rates of copies; empty where the GPU does not work any more
   */
  record Results(DeviceInfo gpu, int caseCount, List<String> failures, int notRun, Optional<CopyRates> rates) {
    String summary() {
      int good = caseCount - failures.size() - notRun;
      return good + " of " + caseCount + " kernel cases agree with the CPU's reference on " + gpu.name()
          + (rates.isPresent() ? "" : "; the GPU does not work since the last failure, and " + notRun + " cases were not run");
    }

    /** In Markdown. */
    String report() {
      var text = new StringBuilder();
      text.append("# gpu-suite\n\n").append(gpu.name()).append(", ").append(gpu.arch()).append("\n\n## Kernels\n\n");
      text.append(summary()).append(".\n");
      failures.forEach(failure -> text.append("\n- ").append(failure));
      text.append(failures.isEmpty() ? "" : "\n");
      rates.ifPresent(measured -> copies(text, measured));
      return text.toString();
    }

    private static void copies(StringBuilder text, CopyRates rates) {
      text.append("\n## Copies\n\n| | GB/s |\n|---|---|\n");
      row(text, "within the GPU, read and written", rates.withinBytesPerSecond());
      row(text, "to the GPU", rates.uploadBytesPerSecond());
      row(text, "from the GPU", rates.downloadBytesPerSecond());
    }

    private static void row(StringBuilder text, String what, double bytesPerSecond) {
      text.append(String.format(Locale.ROOT, "| %s | %.1f |%n", what, bytesPerSecond / 1e9));
    }
  }

  Results run(Device reference, Device gpu, Consumer<String> progress) {
    var failures = new ArrayList<String>();
    try (var comparison = new Comparison(reference, gpu)) {
      for (int number = 0; number < cases.size(); number++) {
        KernelCase kernelCase = cases.get(number);
        Optional<String> difference = difference(comparison, kernelCase);
        if (difference.isPresent()) {
          progress.accept(kernelCase.name() + ": " + difference.get());
          failures.add(kernelCase.name() + ": " + difference.get());
          if (!works(gpu)) {
            return new Results(gpu.info(), cases.size(), failures, cases.size() - number - 1, Optional.empty());
          }
        }
      }
    }
    return new Results(gpu.info(), cases.size(), failures, 0, Optional.of(CopyRates.measure(gpu, copiedBytes)));
  }

  /** A kernel that reads or writes where it must not breaks the context of the whole process. */
  private static boolean works(Device gpu) {
    try (Queue queue = gpu.newQueue("does it work")) {
      queue.drain();
      return true;
    } catch (HirundoException broken) {
      return false;
    }
  }

  /** A kernel that is not compiled, or fails, is a finding as well: the others are of interest all the same. */
  private static Optional<String> difference(Comparison comparison, KernelCase kernelCase) {
    try {
      return comparison.difference(kernelCase);
    } catch (HirundoException failure) {
      return Optional.of(failure.getMessage());
    }
  }
}
