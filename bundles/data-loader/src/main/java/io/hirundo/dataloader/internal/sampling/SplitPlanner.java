package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans one part of the data.
 *
 * @param sequenceTokens of a sample, labels not counted
 * @param seed of the shuffles, the same for each dataset and part
 */
record SplitPlanner(int sequenceTokens, long seed) {
  private static final Logger LOG = LoggerFactory.getLogger(SplitPlanner.class);

  /**
   * A dataset of a blend.
   *
   * @param weight above 0
   */
  record Weighted(IndexedDataset dataset, double weight) {}

  private record Share(IndexedDataset dataset, double weight, DataSplit.Part part, long tokens) {}

  /**
   * Plans the samples. One dataset is gone through for itself; of several, those without anything in this part are left out.
   *
   * @param part the part of that many sequences
   * @param name of the part, for messages
   */
  SplitSamples plan(List<Weighted> blend, BiFunction<DataSplit, Integer, DataSplit.Part> part, DataSplit split, String name, long requested) {
    if (requested == 0) {
      return SplitSamples.NONE;
    }
    List<Share> shares = shares(blend, part, split, name);
    if (shares.isEmpty()) {
      return SplitSamples.NONE;
    }
    return blend.size() == 1 ? new SplitSamples.OfOne(samples(shares.getFirst(), requested)) : blend(shares, requested);
  }

  /**
   * Plans the training samples of a blend that takes over from another.
   *
   * @param requested by the whole run, the samples before {@code from} included
   */
  SplitSamples planFrom(DataCursor from, List<Weighted> blend, DataSplit split, long requested) {
    List<Share> shares = shares(blend, DataSplit::trainingOf, split, "training");
    long left = requested - from.sample();
    if (shares.isEmpty() || left <= 0) {
      return SplitSamples.NONE;
    }
    double[] weights = Weights.normalize(shares.stream().mapToDouble(Share::weight).toArray());
    BlendOrder order = BlendOrder.of(weights, left);
    var datasets = new ArrayList<ContinuedSamples.Dataset>();
    for (int index = 0; index < weights.length; index++) {
      Share share = shares.get(index);
      long planned = order.toPlan(index, weights[index], left);
      var part = from.parts().getOrDefault(share.dataset().files().prefix().toString(), new DataCursor.Part(0, planned));
      datasets.add(
          ContinuedSamples.Dataset.plan(
              part,
              order.counts()[index],
              round ->
                  PartSamples.plan(
                      share.dataset(), share.part(), share.tokens(), sequenceTokens, part.planned(), seed + round)));
    }
    return new ContinuedSamples(from.sample(), order, datasets);
  }

  private List<Share> shares(
      List<Weighted> blend, BiFunction<DataSplit, Integer, DataSplit.Part> part, DataSplit split, String name) {
    List<Share> shares = new ArrayList<>();
    for (Weighted weighted : blend) {
      DataSplit.Part own = part.apply(split, weighted.dataset().sequences());
      long tokens = tokens(weighted.dataset(), own);
      if (tokens > 0) {
        shares.add(new Share(weighted.dataset(), weighted.weight(), own, tokens));
      } else if (blend.size() > 1) {
        LOG.warn("{} has no {} part: its {} documents are too few for the split; the others take its share",
            weighted.dataset().files().prefix(), name, weighted.dataset().documents());
      }
    }
    return shares;
  }

  private SplitSamples blend(List<Share> shares, long requested) {
    if (shares.size() > Short.MAX_VALUE) {
      throw new DataException("a blend of " + shares.size() + " datasets is too large: " + Short.MAX_VALUE + " at most");
    }
    double[] weights = Weights.normalize(shares.stream().mapToDouble(Share::weight).toArray());
    BlendOrder order = BlendOrder.of(weights, requested);
    List<PartSamples> samples = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      samples.add(samples(shares.get(i), order.toPlan(i, weights[i], requested)));
    }
    return new SplitSamples.OfBlend(order, samples);
  }

  private PartSamples samples(Share share, long requested) {
    return PartSamples.plan(share.dataset(), share.part(), share.tokens(), sequenceTokens, requested, seed);
  }

  private static long tokens(IndexedDataset dataset, DataSplit.Part part) {
    if (part.sequences() == dataset.sequences()) {
      return dataset.tokens();
    }
    long tokens = 0;
    for (int sequence = part.first(); sequence < part.end(); sequence++) {
      tokens += dataset.length(sequence);
    }
    return tokens;
  }
}
