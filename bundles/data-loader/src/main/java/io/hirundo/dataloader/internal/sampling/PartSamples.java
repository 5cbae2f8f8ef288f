package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;

/** The samples of one part of one dataset, in order. */
final class PartSamples {
  private final IndexedDataset dataset;
  private final EpochPlan plan;
  private final SampleIndex index;
  private final long planned;

  /**
   * Plans the samples of a part.
   *
   * @param requested at least as many are there afterwards
   */
  static PartSamples plan(IndexedDataset dataset, DataSplit.Part part, long tokens, int sequenceTokens, long requested, long seed) {
    try {
      EpochPlan plan = EpochPlan.of(tokens, sequenceTokens, requested);
      return new PartSamples(dataset, plan, SampleIndex.build(dataset::length, part, sequenceTokens, plan, seed), requested);
    } catch (ArithmeticException e) {
      throw new DataException(
          dataset.files().prefix() + ": " + requested + " samples of " + sequenceTokens + " tokens are more than can be counted", e);
    }
  }

  private PartSamples(IndexedDataset dataset, EpochPlan plan, SampleIndex index, long planned) {
    this.planned = planned;
    this.dataset = dataset;
    this.plan = plan;
    this.index = index;
  }

  long count() {
    return index.samples();
  }

  /** The name of the dataset in the configuration. */
  String name() {
    return dataset.files().prefix().toString();
  }

  /** How many samples were asked for when the order was made. */
  long planned() {
    return planned;
  }

  int epochs() {
    return plan.epochs();
  }

  void read(long place, int[] into) {
    index.read(dataset, place, into);
  }
}
