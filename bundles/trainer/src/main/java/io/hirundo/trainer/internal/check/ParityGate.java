package io.hirundo.trainer.internal.check;

import io.hirundo.lib.oracle.gemm.ProductError;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.ParityBound;
import io.hirundo.trainer.internal.config.GateSection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Decides whether strategies that compute may take over. Of a new precision every product must be right for the operands that were
 * multiplied, within bounds that nobody sets, and the rounding of these operands within the run's bounds, or the new strategy's own
 * where they are tighter. The whole of one microbatch must agree with what it is under the present strategies.
 */
public final class ParityGate {
  /**
   * The figure that is closest to its bound, or furthest beyond it.
   *
   * @param share of the bound that is used up: above 1 is refused
   * @param text what it is, with the numbers
   */
  public record Verdict(double share, String text) {
    /** Where nothing was compared. */
    static final Verdict NOTHING = new Verdict(-1, "nothing was compared");

    public boolean passed() {
      return share <= 1;
    }

    /** For other ranks to read. */
    public String line() {
      return share + " " + text;
    }

    public static Verdict parse(String line) {
      int space = line.indexOf(' ');
      return new Verdict(Double.parseDouble(line.substring(0, space)), line.substring(space + 1));
    }

    public static Verdict worst(Stream<Verdict> all) {
      // Double.compare puts what is not a number above all.
      return all.max(Comparator.comparingDouble(Verdict::share)).orElseThrow();
    }
  }

  /**
   * What was found under some strategies.
   *
   * @param loss mean over the labels, in nats
   * @param gradientNorm of that mean
   */
  public record Totals(double loss, double gradientNorm) {}

  /** Below this, in nats, a loss or a gradient norm is compared as if it were this: what differs then is next to nothing. */
  private static final double NEXT_TO_NOTHING = 0.01;

  private static final String WRONG =
      "no setting allows that: the strategy computes wrongly, or LinearMath.multiplied() tells other operands than it multiplies";

  private final GateSection bounds;
  private final ParityBound own;

  /** {@code own} bounds of the new strategy. */
  public ParityGate(GateSection bounds, ParityBound own) {
    this.bounds = bounds;
    this.own = own;
  }

  /** A bound of 0 asks for equality. */
  private static double open(double bound) {
    return Math.max(bound, Double.MIN_VALUE);
  }

  /** Of one rank's products. */
  public Verdict layers(List<LayerErrors> layers) {
    return Verdict.worst(Stream.concat(Stream.of(Verdict.NOTHING), layers.stream().flatMap(this::ofLayer)));
  }

  /** Of the whole under the present strategies and under the new ones. */
  public Verdict totals(Totals before, Totals after) {
    return Verdict.worst(
        Stream.of(
            loss(before, after),
            relative("the gradient norm", before.gradientNorm(), after.gradientNorm(), bounds.gradientNorm(), "gradientNorm")));
  }

  /** Of the losses alone, where products were checked. */
  public Verdict loss(Totals before, Totals after) {
    return relative("the loss", before.loss(), after.loss(), bounds.loss(), "loss");
  }

  private Stream<Verdict> ofLayer(LayerErrors layer) {
    if (!layer.failure().isEmpty()) {
      return Stream.of(new Verdict(Double.NaN, "it failed at " + layer.layer() + ": " + layer.failure()));
    }
    return layer.products().entrySet().stream()
        .flatMap(
            product -> {
              String what = "the " + nameOf(product.getKey()) + " of " + layer.layer();
              LayerErrors.Found found = product.getValue();
              return Stream.of(arithmetic(what, found.arithmetic()), rounding(product.getKey(), what, found.rounding()));
            });
  }

  private static String nameOf(LinearProduct product) {
    return product.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** No setting allows more: these bounds follow from the types and the number of summands. */
  private static Verdict arithmetic(String what, ProductError error) {
    double share = Double.isNaN(error.share()) ? Double.POSITIVE_INFINITY : error.share();
    String where =
        error.row() < 0
            ? String.format(Locale.ROOT, "as a whole by a factor of %.6g", 1 + error.relative())
            : String.format(Locale.ROOT, "by %.3g from row %d and column %d on", error.relative(), error.row(), error.column());
    String remedy = share <= 1 ? "" : "; " + WRONG;
    return new Verdict(
        share, String.format(Locale.ROOT, "%s is off %s, %.3g of what its operands and types explain%s", what, where, share, remedy));
  }

  /** What the types explain, or what the strategy or the run allows where that is less. */
  private Verdict rounding(LinearProduct product, String what, LayerErrors.Quantization error) {
    String whole = what + " from the one of operands that are not rounded";
    return switch (product) {
      case OUTPUT -> tightest(whole, error, bounds.output(), own.output(), "output");
      case INPUT_GRADIENT -> tightest(whole, error, bounds.inputGradient(), own.inputGradient(), "inputGradient");
      case WEIGHT_GRADIENT -> tightest(whole, error, bounds.weightGradient(), own.weightGradient(), "weightGradient");
    };
  }

  private static Verdict tightest(String what, LayerErrors.Quantization error, double bound, double ownBound, String setting) {
    if (error.error() > 0 && error.largest() < Math.min(ownBound, open(bound))) {
      return verdict(what, error.error(), error.largest(), "by the types of the operands");
    }
    return ownBound < open(bound)
        ? verdict(what, error.error(), ownBound, "by the strategy itself")
        : verdict(what, error.error(), open(bound), "by swap.gate." + setting);
  }

  private static Verdict relative(String what, double before, double after, double bound, String setting) {
    double error = before == after ? 0 : Math.abs(after - before) / Math.max(Math.abs(before), NEXT_TO_NOTHING);
    return verdict(String.format(Locale.ROOT, "%s (%.6g to %.6g)", what, before, after), error, open(bound), "by swap.gate." + setting);
  }

  private static Verdict verdict(String what, double error, double bound, String by) {
    double share = Double.isNaN(error) ? Double.POSITIVE_INFINITY : error / bound;
    return new Verdict(share, String.format(Locale.ROOT, "%s differs by %.3g, allowed %.3g %s", what, error, bound, by));
  }
}
