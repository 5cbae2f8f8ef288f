package io.hirundo.gpusuite.internal.model;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the loss and every gradient of a first step on the device under test and on the reference.
 *
 * @param model the model
 * @param gpu the device under test
 * @param reference device with correct results
 */
public record ModelPart(Trainer trainer, SmallModel model, Choice gpu, Choice reference) implements Part {
    private static final Logger LOG = LoggerFactory.getLogger(ModelPart.class);

    /**
     * The difference between two devices that both round correctly.
     *
     * <p>If the operands are bitwise equal, only the sums differ: one side sums in FP64, the other in FP32 in its own order. For K terms the
     * difference is about {@code sqrt(K) 2^-24}, and over the 20 GEMMs that contribute to a gradient of two layers, as a random walk,
     * {@code sqrt(20 * 384) 2^-24 = 5e-6}. The bound is four times that, and a TF32 GEMM, whose operands are off by 2^-12 and more, fails. In
     * BF16 such a difference occasionally flips the rounding of an activation, by 2^-8; if all roundings flipped, gradients would differ by
     * the difference between BF16 and FP32 training, 2e-2. In FP8 a flipped rounding is 2^-4. Scales in the wrong order change a GEMM by 9e-2
     * and fail. Between the CPU's two sets of kernels the largest differences of gradients are 8e-7, 4e-3 and 4e-3; between the emulated GPU
     * and the reference 1e-6, 8e-3 and 1e-7: few FP8 roundings flip, but each has a large effect.
     *
     * @param headChannels channels of a head; with 64, BF16 uses tensor-core attention, which also rounds probabilities. That changes
     *    operands by 8e-3 and flips so many FP8 roundings that gradients would differ by 7e-2, which would hide scales in the wrong order.
     *    FP8 is therefore compared with heads that those kernels do not support
     * @param loss relative difference of the loss
     * @param gradient norm of the difference divided by the norm, for each tensor
     */
    record Tolerance(String precision, int headChannels, double loss, double gradient) {}

    static final List<Tolerance> TOLERANCES = List.of(
            new Tolerance("fp32", 64, 2e-6, 2e-5),
            new Tolerance("bf16", 64, 1e-4, 2e-2),
            new Tolerance("fp8-blockwise", 32, 5e-4, 6e-2));

    @Override
    public String name() {
        return "model";
    }

    @Override
    public int limitSeconds() {
        return 40;
    }

    @Override
    public List<Choice> architectures() {
        return TOLERANCES.stream()
                .map(allowed -> model.withHeads(allowed.headChannels).run().architecture())
                .toList();
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var failures = new ArrayList<String>();
        var rows = new StringBuilder();
        int done = 0;
        while (done < TOLERANCES.size() && !allowance.isOver()) {
            Tolerance allowed = TOLERANCES.get(done++);
            allowance.begins(allowed.precision);
            try {
                compare(allowed, failures, rows);
            } catch (HirundoException failure) {
                failures.add(allowed.precision + ": " + failure.getMessage());
            } catch (RuntimeException defect) {
                LOG.error("{} has a defect", allowed.precision, defect);
                failures.add(allowed.precision + ": " + Reason.of(defect));
            }
        }
        failures.forEach(progress);
        List<String> cut =
                TOLERANCES.stream().skip(done).map(Tolerance::precision).toList();
        String summary = (failures.isEmpty() ? "loss and gradients agree in " : "compared in ")
                + String.join(
                        ", ",
                        TOLERANCES.stream()
                                .limit(done)
                                .map(Tolerance::precision)
                                .toList())
                + (failures.isEmpty() ? "" : ": " + failures.size() + " failures")
                + (cut.isEmpty() ? "" : "; not run for want of time: " + String.join(", ", cut));
        String details =
                "The loss of a first step and all its gradients; of a gradient, norm of the difference over the norm.\n\n"
                        + "| Precision | Loss | off by | allowed | Gradient that is furthest off | off by | allowed |\n|---|---|---|---|---|---|---|\n"
                        + rows;
        return new Finding(summary, failures, details, cut.isEmpty());
    }

    private void compare(Tolerance allowed, List<String> failures, StringBuilder rows) {
        SmallModel compared = model.withHeads(allowed.headChannels);
        FirstStep expected = FirstStep.of(trainer, compared.configuration(reference, allowed.precision, 1));
        FirstStep actual = FirstStep.of(trainer, compared.configuration(gpu, allowed.precision, 1));
        double loss = expected.lossDifference(actual);
        Map<String, Double> gradients = expected.gradientDifferences(actual);
        // NaN counts as the largest.
        var furthest =
                gradients.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        rows.append(String.format(
                Locale.ROOT,
                "| %s | %.6f | %.1e | %.0e | %s | %.1e | %.0e |%n",
                allowed.precision,
                actual.loss(),
                loss,
                allowed.loss,
                furthest.getKey(),
                furthest.getValue(),
                allowed.gradient));
        if (!(loss <= allowed.loss)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "%s: the loss is %.8g and not %.8g: off by %.1e, allowed %.0e",
                    allowed.precision,
                    actual.loss(),
                    expected.loss(),
                    loss,
                    allowed.loss));
        }
        gradients.forEach((name, difference) -> {
            if (!(difference <= allowed.gradient)) {
                failures.add(String.format(
                        Locale.ROOT,
                        "%s: the gradient of %s is off by %.1e, allowed %.0e",
                        allowed.precision,
                        name,
                        difference,
                        allowed.gradient));
            }
        });
    }
}
