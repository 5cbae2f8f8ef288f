package io.hirundo.trainer.internal.gate;

import io.hirundo.lib.engine.check.GemmFailure;
import io.hirundo.lib.engine.check.LayerErrors;
import io.hirundo.lib.engine.step.LossAndNorm;
import io.hirundo.lib.oracle.gemm.GemmError;
import io.hirundo.lib.oracle.gemm.Projection;
import io.hirundo.lib.run.section.GateSection;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.ParityBound;
import io.hirundo.tensor.DType;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parity check: decides whether new strategies may take over. With a new precision, each GEMM must be correct for the operands that it
 * multiplied, within fixed bounds. The quantization error of these operands must be within the run's bounds, or the strategy's own bounds
 * if these are tighter, and must not make an operand larger or smaller on average. The loss of one microbatch must agree with the loss under the current strategies.
 */
public final class ParityGate {
    private static final Logger LOG = LoggerFactory.getLogger(ParityGate.class);

    /**
     * The result: the value closest to its bound, or furthest above it.
     *
     * @param share the value divided by its bound; above 1 the change is rejected
     * @param text description with the numbers
     */
    public record Verdict(double share, String text) {
        /** The result if nothing was compared. */
        static final Verdict NOTHING = new Verdict(-1, "nothing was compared");

        public boolean passed() {
            return share <= 1;
        }

        /** Serialized for other ranks. */
        public String line() {
            return share + " " + text;
        }

        public static Verdict parse(String line) {
            int space = line.indexOf(' ');
            return new Verdict(Double.parseDouble(line.substring(0, space)), line.substring(space + 1));
        }

        public static Verdict worst(Stream<Verdict> all) {
            // Double.compare orders NaN above all numbers.
            return all.max(Comparator.comparingDouble(Verdict::share)).orElseThrow();
        }
    }

    /** Lower bound, in nats, of the denominator of relative differences, so that losses and norms near zero do not fail. */
    private static final double MINIMUM_SCALE = 0.01;

    private static final String WRONG =
            "no setting allows that: the strategy computes wrong results, or LinearMath.multiplied() returns other operands than it multiplies";

    private static final String REORDERED =
            "; the new strategy computes wrong results, or it quantizes and LinearMath.roundsOperands() does not say so";

    private final GateSection bounds;
    private final ParityBound own;

    /** {@code own}: bounds of the new strategy. */
    public ParityGate(GateSection bounds, ParityBound own) {
        this.bounds = bounds;
        this.own = own;
    }

    /** The smallest positive number if the bound is 0, which requires equality. */
    private static double positive(double bound) {
        return Math.max(bound, Double.MIN_VALUE);
    }

    /** The verdict on the GEMMs of one rank. */
    public Verdict layers(List<LayerErrors> layers) {
        return Verdict.worst(
                Stream.concat(Stream.of(Verdict.NOTHING), layers.stream().flatMap(this::ofLayer)));
    }

    /**
     * The largest relative difference of loss and gradient norm that sums in another order explain, in the same precision. Several times the
     * noise that docs/regress.md has measured over layouts. Infinite for quantized operands, where the run's bounds decide.
     */
    public static double reordering(DType activations, boolean quantized) {
        if (quantized) {
            return Double.POSITIVE_INFINITY;
        }
        return switch (activations) {
            case FP64, FP32 -> 1e-4;
            case BF16 -> 0.01;
            case FP8_E4M3, FP8_E5M2, INT32 -> Double.POSITIVE_INFINITY;
        };
    }

    /** The verdict on loss and gradient norm under the current and the new strategies. {@code largest}: another bound. */
    public Verdict totals(LossAndNorm before, LossAndNorm after, double largest) {
        return Verdict.worst(Stream.of(
                relative("the loss", before.loss(), after.loss(), bounds.loss(), largest, "loss"),
                relative(
                        "the gradient norm",
                        before.gradientNorm(),
                        after.gradientNorm(),
                        bounds.gradientNorm(),
                        largest,
                        "gradientNorm")));
    }

    /** The verdict on the loss alone, if GEMMs were checked one by one. */
    public Verdict loss(LossAndNorm before, LossAndNorm after) {
        return relative("the loss", before.loss(), after.loss(), bounds.loss(), Double.POSITIVE_INFINITY, "loss");
    }

    private Stream<Verdict> ofLayer(LayerErrors layer) {
        if (!layer.failure().isEmpty()) {
            return Stream.of(new Verdict(Double.NaN, layer.failure()));
        }
        return layer.gemms().entrySet().stream().flatMap(product -> {
            String what = GemmFailure.nameOf(product.getKey()) + " of " + layer.layer();
            LayerErrors.GemmErrors found = product.getValue();
            return Stream.of(
                    arithmetic(what, found.arithmetic()),
                    rounding(product.getKey(), what, found.rounding()),
                    scaling(what, found.rounding().scaling()));
        });
    }

    /** What rounding explains follows from the type and the values. No setting can raise it. */
    private static Verdict scaling(String what, LayerErrors.Scaling scaling) {
        Projection projection = scaling.projection();
        LOG.debug("projection of the {} in {}: {} of its tolerance", scaling.operand(), what, projection.share());
        return new Verdict(
                projection.share(),
                String.format(
                        Locale.ROOT,
                        "the quantized %s in %s is %.5f times as large as before, rounding explains %.5f to %.5f%s",
                        scaling.operand().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        what,
                        projection.factor(),
                        projection.lowest(),
                        projection.highest(),
                        projection.share() <= 1
                                ? ""
                                : "; no setting allows that: the strategy scales the operand wrong"));
    }

    /** These bounds follow from the dtypes and K. No setting can raise them. */
    private static Verdict arithmetic(String what, GemmError error) {
        double share = Double.isNaN(error.share()) ? Double.POSITIVE_INFINITY : error.share();
        String where = error.row() < 0
                ? String.format(Locale.ROOT, "as a whole by a factor of %.6g", 1 + error.relative())
                : String.format(
                        Locale.ROOT,
                        "by %.3g from row %d and column %d on",
                        error.relative(),
                        error.row(),
                        error.column());
        String remedy = share <= 1 ? "" : "; " + WRONG;
        return new Verdict(
                share,
                String.format(
                        Locale.ROOT,
                        "%s is off %s, %.3g of what its operands and types explain%s",
                        what,
                        where,
                        share,
                        remedy));
    }

    /** Bounded by the dtypes, the strategy or the run, whichever is tightest. */
    private Verdict rounding(LinearProduct product, String what, LayerErrors.Quantization error) {
        String whole = "the quantization error of " + what + " is";
        return switch (product) {
            case OUTPUT -> tightest(whole, error, bounds.output(), own.output(), "output");
            case INPUT_GRADIENT -> tightest(whole, error, bounds.inputGradient(), own.inputGradient(), "inputGradient");
            case WEIGHT_GRADIENT ->
                tightest(whole, error, bounds.weightGradient(), own.weightGradient(), "weightGradient");
        };
    }

    private static Verdict tightest(
            String what, LayerErrors.Quantization error, double bound, double ownBound, String setting) {
        if (error.error() > 0 && error.largest() < Math.min(ownBound, positive(bound))) {
            return verdict(what, error.error(), error.largest(), "by the types of the operands");
        }
        return ownBound < positive(bound)
                ? verdict(what, error.error(), ownBound, "by the strategy itself")
                : verdict(what, error.error(), positive(bound), "by swap.gate." + setting);
    }

    private static Verdict relative(
            String what, double before, double after, double bound, double largest, String setting) {
        double error = before == after ? 0 : Math.abs(after - before) / Math.max(Math.abs(before), MINIMUM_SCALE);
        String numbers = String.format(Locale.ROOT, "%s (%.6g to %.6g) differs by", what, before, after);
        return largest < positive(bound)
                ? verdict(numbers, error, largest, "by sums in another order" + (error <= largest ? "" : REORDERED))
                : verdict(numbers, error, positive(bound), "by swap.gate." + setting);
    }

    private static Verdict verdict(String what, double error, double bound, String by) {
        double share = Double.isNaN(error) ? Double.POSITIVE_INFINITY : error / bound;
        return new Verdict(share, String.format(Locale.ROOT, "%s %.3g, allowed %.3g %s", what, error, bound, by));
    }
}
