package io.hirundo.gpusuite.internal.bench;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures copies and kernels. If PyTorch is installed, each kernel is compared with PyTorch's, alternating between both.
 *
 * @param gpu the device under test
 * @param copiedBytes size of the tensors of the copy benchmark
 * @param timing how the work is timed
 * @param python the Python program with PyTorch
 */
public record BenchmarkPart(List<Benchmark> benchmarks, Device gpu, long copiedBytes, Timing timing, String python)
        implements Part {
    private static final Logger LOG = LoggerFactory.getLogger(BenchmarkPart.class);

    /** Larger than any cache. */
    private static final long COPIED_BYTES = 1L << 30;

    /** Of Llama 8B's sizes. */
    public static BenchmarkPart usual(Device gpu, String python) {
        return new BenchmarkPart(Benchmarks.of(Benchmarks.Sizes.DENSE_8B), gpu, COPIED_BYTES, Timing.USUAL, python);
    }

    @Override
    public String name() {
        return "benchmarks";
    }

    @Override
    public int limitSeconds() {
        return 85;
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var failures = new ArrayList<String>();
        CopyRates copies = CopyRates.measure(timing, gpu, copiedBytes);
        var table = new BenchmarkTable(copies);
        try (TorchSide torch = TorchSide.start(python, TorchSide.USUAL_WAIT_SECONDS, allowance)) {
            int done = compare(torch, table, allowance, failures);
            return found(done, torch.about(), table, failures, progress);
        } catch (IOException absent) {
            int done = compare(null, table, allowance, failures);
            return found(done, "no PyTorch: " + python + " cannot be started", table, failures, progress);
        }
    }

    private Finding found(
            int done, String comparison, BenchmarkTable table, List<String> failures, Consumer<String> progress) {
        failures.forEach(progress);
        int cut = benchmarks.size() - done;
        String summary = (done - failures.size()) + " of " + benchmarks.size() + " timed, " + comparison
                + (cut == 0 ? "" : "; " + cut + " were not run for want of time");
        return new Finding(summary, failures, table.text(), cut == 0);
    }

    /** Returns the number of completed benchmarks. {@code torch} is null without PyTorch. */
    private int compare(TorchSide torch, BenchmarkTable table, TimeBudget allowance, List<String> failures) {
        int done = 0;
        while (done < benchmarks.size() && !allowance.isOver()) {
            Benchmark benchmark = benchmarks.get(done++);
            allowance.begins(benchmark.request());
            try {
                double ours = seconds(benchmark);
                var theirs = torch == null
                        ? new TorchSide.Answer(Optional.empty(), "")
                        : torch.time(benchmark.request(), allowance);
                table.add(benchmark, ours, theirs);
            } catch (HirundoException failure) {
                failures.add(benchmark.request() + ": " + failure.getMessage());
            } catch (RuntimeException defect) {
                LOG.error("{} has a defect", benchmark.request(), defect);
                failures.add(benchmark.request() + ": " + Reason.of(defect));
            }
        }
        return done;
    }

    private double seconds(Benchmark benchmark) {
        try (var operands = new Operands(gpu)) {
            return timing.seconds(operands.queue(), benchmark.body().turn(operands));
        }
    }
}
