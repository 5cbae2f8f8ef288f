package io.hirundo.trainer.internal.run;

import io.hirundo.HirundoException;
import io.hirundo.trainer.internal.layer.DeviceProducts;
import io.hirundo.trainer.internal.layer.ProductErrors;
import java.util.List;
import java.util.stream.Stream;

/**
 * A microbatch under a rank's present blocks, or a stand-in for those that have gone, and under others that are to take their place.
 * Weights, optimizer, and what comes next stay as they are.
 *
 * @param batch of samples that the run has not learned from yet
 * @param changes what is to be other
 */
record RankTrial(RankModel model, StepRunner steps, HostBatch batch, Changes changes, ParityGate gate) {
  /** What all ranks found; {@code stageLayers} as the others have them. */
  ParityGate.Verdict of(RankBlocks others, Strategies strategies, List<Integer> stageLayers) {
    if (model.blocks() != null) {
      return compare(model.blocks(), others);
    }
    // What the run worked with has gone: the device's own products stand in for it.
    var plain = new DeviceProducts(model.parameterType());
    try (var standIn = model.otherBlocks(plain, strategies.parallel(), strategies.model().architecture(), stageLayers)) {
      return compare(standIn, others);
    } finally {
      model.exchangeBlocks(null);
    }
  }

  private ParityGate.Verdict compare(RankBlocks present, RankBlocks others) {
    var both = List.of(present.layers(), others.layers());
    both.forEach(layers -> layers.trial(true));
    try {
      return compareInTrial(present, others);
    } finally {
      both.forEach(layers -> layers.trial(false));
    }
  }

  private ParityGate.Verdict compareInTrial(RankBlocks present, RankBlocks others) {
    model.exchangeBlocks(present);
    var before = new ParityGate.Totals[1];
    Runnable work = () -> before[0] = steps.tryOut(batch);
    List<ProductErrors> layers = List.of();
    if (changes.precision()) {
      layers = model.withWeightsAsTheyAre(() -> present.layers().comparedWith(others.layers(), model.queue(), work));
    } else {
      work.run();
    }
    // Up to here what a new strategy throws harms nobody. In a pass of its own ranks would wait for the one that fails.
    ParityGate.Verdict products = ofAll(gate.layers(layers));
    if (!products.passed()) {
      return products;
    }
    model.exchangeBlocks(others);
    try {
      return ParityGate.Verdict.worst(Stream.of(products, gate.totals(before[0], steps.tryOut(batch))));
    } catch (HirundoException known) {
      throw known;
    } catch (RuntimeException | LinkageError failure) {
      throw new IllegalStateException(
          "the new strategies failed in the middle of a microbatch, where other ranks wait for this one, after their products had"
              + " passed: " + failure + "; go on without them with --resume",
          failure);
    } finally {
      model.exchangeBlocks(present);
      // Others were the last to see the weights: what these made of them may be of tensors that have moved.
      present.weights().prepareAnew();
    }
  }

  private ParityGate.Verdict ofAll(ParityGate.Verdict own) {
    return ParityGate.Verdict.worst(RankText.exchange(model.rank(), own.line()).stream().map(ParityGate.Verdict::parse));
  }
}
