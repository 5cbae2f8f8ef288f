package io.hirundo.gpusuite.internal.model;

import io.hirundo.HirundoException;
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
 * Loss and every gradient of a first step, on the device under test and on the reference.
 *
 * @param model what is trained
 * @param gpu the device under test
 * @param reference that computes what is right
 */
public record ModelPart(Trainer trainer, SmallLlama model, Choice gpu, Choice reference) implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(ModelPart.class);

  /**
   * How far two devices may be apart that both round as they should.
   *
   * <p>Where the same operands are rounded to the same bits, only sums differ: one side makes them in FP64, the other in FP32, in an order
   * of its own. For K terms that is about {@code sqrt(K) 2^-24}, and over the 20 products that a gradient of two layers has gone through,
   * as a random walk, {@code sqrt(20 * 384) 2^-24 = 5e-6}; allowed is four times that, and a product of TF32, whose operands are off by
   * 2^-12 and more, does not pass. In BF16 such a difference turns the rounding of an activation now and then, by 2^-8: were all of them
   * turned, gradients would be apart by what training in BF16 is from FP32, 2e-2. With operands of 8 bits a turned one is off by 2^-4;
   * scales in the wrong order put a product off by 9e-2, and do not pass. Of the CPU's two sets of kernels the gradients that are
   * furthest apart are so by 8e-7, 4e-3 and 4e-3, and those of the emulated GPU from the reference by 1e-6, 8e-3 and 1e-7: of codes
   * of 8 bits few are turned, but a single one weighs.
   *
   * @param headChannels with 64, BF16 goes through attention on tensor cores, which rounds probabilities besides. Operands that are 8e-3
   *     off by that would turn so many codes of 8 bits, that gradients were 7e-2 apart, and scales in the wrong order not seen: these
   *     are compared with heads that those kernels do not take.
   * @param loss relative
   * @param gradient norm of the difference over the norm, of each tensor
   */
  record Tolerance(String precision, int headChannels, double loss, double gradient) {}

  static final List<Tolerance> TOLERANCES =
      List.of(
          new Tolerance("fp32", 64, 2e-6, 2e-5), new Tolerance("bf16", 64, 1e-4, 2e-2), new Tolerance("fp8-blockwise", 32, 5e-4, 6e-2));

  @Override
  public String name() {
    return "model";
  }

  @Override
  public int limitSeconds() {
    return 45;
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
        failures.add(allowed.precision + ": " + defect);
      }
    }
    failures.forEach(progress);
    List<String> cut = TOLERANCES.stream().skip(done).map(Tolerance::precision).toList();
    String summary =
        (failures.isEmpty() ? "loss and gradients agree in " : "compared in ")
            + String.join(", ", TOLERANCES.stream().limit(done).map(Tolerance::precision).toList())
            + (failures.isEmpty() ? "" : ": " + failures.size() + " failures")
            + (cut.isEmpty() ? "" : "; not run for want of time: " + String.join(", ", cut));
    String details =
        "The loss of a first step and all its gradients; of a gradient, norm of the difference over the norm.\n\n"
            + "| Precision | Loss | off by | allowed | Gradient that is furthest off | off by | allowed |\n|---|---|---|---|---|---|---|\n"
            + rows;
    return new Finding(summary, failures, details, cut.isEmpty());
  }

  private void compare(Tolerance allowed, List<String> failures, StringBuilder rows) {
    SmallLlama compared = model.withHeads(allowed.headChannels);
    FirstStep expected = FirstStep.of(trainer, compared.configuration(reference, allowed.precision, 1));
    FirstStep actual = FirstStep.of(trainer, compared.configuration(gpu, allowed.precision, 1));
    double loss = expected.lossDifference(actual);
    Map<String, Double> gradients = expected.gradientDifferences(actual);
    // NaN is larger than any.
    var furthest = gradients.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    rows.append(
        String.format(
            Locale.ROOT, "| %s | %.6f | %.1e | %.0e | %s | %.1e | %.0e |%n", allowed.precision, actual.loss(), loss, allowed.loss,
            furthest.getKey(), furthest.getValue(), allowed.gradient));
    if (!(loss <= allowed.loss)) {
      failures.add(
          String.format(
              Locale.ROOT, "%s: the loss is %.8g and not %.8g: off by %.1e, allowed %.0e", allowed.precision, actual.loss(),
              expected.loss(), loss, allowed.loss));
    }
    gradients.forEach(
        (name, difference) -> {
          if (!(difference <= allowed.gradient)) {
            failures.add(
                String.format(
                    Locale.ROOT, "%s: the gradient of %s is off by %.1e, allowed %.0e", allowed.precision, name, difference,
                    allowed.gradient));
          }
        });
  }
}
