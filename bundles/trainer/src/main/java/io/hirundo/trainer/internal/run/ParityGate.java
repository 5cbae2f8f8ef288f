package io.hirundo.trainer.internal.run;

import io.hirundo.precision.ParityBound;
import io.hirundo.trainer.internal.config.GateSection;
import io.hirundo.trainer.internal.layer.ProductErrors;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Decides whether strategies that compute may take over: one microbatch under both must agree, as a whole and layer by layer,
 * within the run's bounds, or the new strategy's own where they are tighter.
 */
final class ParityGate {
  /**
   * The figure that is closest to its bound, or furthest beyond it.
   *
   * @param share of the bound that is used up: above 1 is refused
   * @param text what it is, with the numbers
   */
  record Verdict(double share, String text) {
    /** Where nothing was compared. */
    static final Verdict NOTHING = new Verdict(-1, "nothing was compared");

    boolean passed() {
      return share <= 1;
    }

    /** For other ranks to read. */
    String line() {
      return share + " " + text;
    }

    static Verdict parse(String line) {
      int space = line.indexOf(' ');
      return new Verdict(Double.parseDouble(line.substring(0, space)), line.substring(space + 1));
    }

    static Verdict worst(Stream<Verdict> all) {
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
  record Totals(double loss, double gradientNorm) {}

  /** Below this, in nats, a loss or a gradient norm is compared as if it were this: what differs then is next to nothing. */
  private static final double NEXT_TO_NOTHING = 0.01;

  private final GateSection bounds;
  private final ParityBound products;

  /** {@code own} bounds of the new strategy. */
  ParityGate(GateSection bounds, ParityBound own) {
    this.bounds = bounds;
    this.products = own.tightest(new ParityBound(open(bounds.output()), open(bounds.inputGradient()), open(bounds.weightGradient())));
  }

  /** A bound of 0 asks for equality. */
  private static double open(double bound) {
    return Math.max(bound, Double.MIN_VALUE);
  }

  /** Of one rank's products. */
  Verdict layers(List<ProductErrors> layers) {
    return Verdict.worst(Stream.concat(Stream.of(Verdict.NOTHING), layers.stream().flatMap(this::ofLayer)));
  }

  /** Of the whole under the present strategies and under the new ones. */
  Verdict totals(Totals before, Totals after) {
    return Verdict.worst(
        Stream.of(
            relative("the loss", before.loss(), after.loss(), bounds.loss()),
            relative("the gradient norm", before.gradientNorm(), after.gradientNorm(), bounds.gradientNorm())));
  }

  private Stream<Verdict> ofLayer(ProductErrors layer) {
    if (!layer.failure().isEmpty()) {
      return Stream.of(new Verdict(Double.NaN, "it failed at " + layer.layer() + ": " + layer.failure()));
    }
    return Stream.of(
        verdict("the output of " + layer.layer(), layer.output(), products.output()),
        verdict("the input gradient of " + layer.layer(), layer.inputGradient(), products.inputGradient()),
        verdict("the weight gradient of " + layer.layer(), layer.weightGradient(), products.weightGradient()));
  }

  private static Verdict relative(String what, double before, double after, double bound) {
    double error = before == after ? 0 : Math.abs(after - before) / Math.max(Math.abs(before), NEXT_TO_NOTHING);
    return verdict(String.format(Locale.ROOT, "%s (%.6g to %.6g)", what, before, after), error, open(bound));
  }

  private static Verdict verdict(String what, double error, double bound) {
    double share = Double.isNaN(error) ? Double.POSITIVE_INFINITY : error / bound;
    return new Verdict(share, String.format(Locale.ROOT, "%s differs by %.3g, allowed %.3g", what, error, bound));
  }
}
