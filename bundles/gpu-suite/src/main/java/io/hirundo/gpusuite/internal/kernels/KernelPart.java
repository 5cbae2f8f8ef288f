package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.gpusuite.internal.part.GpuSuite;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares kernels with the reference, one after the other.
 *
 * @param cases cases to compare
 * @param reference device with correct results
 * @param gpu the device under test
 */
public record KernelPart(List<KernelCase> cases, Device reference, Device gpu) implements Part {
    /** Includes compilation at the first use, and a single-threaded reference. */
    static final int LONGEST_CASE_SECONDS = 60;

    private static final Logger LOG = LoggerFactory.getLogger(KernelPart.class);

    @Override
    public String name() {
        return "kernels";
    }

    @Override
    public int limitSeconds() {
        return 105;
    }

    @Override
    public int longestPieceSeconds() {
        return LONGEST_CASE_SECONDS;
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var failures = new ArrayList<String>();
        int done = 0;
        boolean works = true;
        try (var comparison = new Comparison(reference, gpu)) {
            while (done < cases.size() && works && !allowance.isOver()) {
                KernelCase kernelCase = cases.get(done++);
                allowance.begins(kernelCase.name());
                Optional<String> difference = difference(comparison, kernelCase);
                if (difference.isPresent()) {
                    String failure = kernelCase.name() + ": " + difference.get();
                    progress.accept(failure);
                    failures.add(failure);
                    works = GpuSuite.works(gpu);
                }
            }
        }
        int notRun = cases.size() - done;
        String summary = (done - failures.size()) + " of " + cases.size() + " cases agree with the reference"
                + (works ? "" : "; the GPU does not work since the last failure")
                + (notRun == 0 ? "" : "; " + notRun + " were not run" + (works ? " for want of time" : ""));
        return new Finding(summary, failures, "", notRun == 0);
    }

    /** A kernel that does not compile, or fails, is reported, and the other cases continue. */
    private static Optional<String> difference(Comparison comparison, KernelCase kernelCase) {
        try {
            return comparison.difference(kernelCase);
        } catch (HirundoException failure) {
            return Optional.of(failure.getMessage());
        } catch (RuntimeException defect) {
            LOG.error("{} has a defect", kernelCase.name(), defect);
            return Optional.of(Reason.of(defect));
        }
    }
}
