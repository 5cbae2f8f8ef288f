package io.hirundo.trainer.internal.plan;

import io.hirundo.trainer.internal.accounting.AccountedLedger.Work;
import io.hirundo.trainer.internal.audit.ProductPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What the audit costs, by count of work, and what it notices. A rank, one of its layers, one of that layer's products, one of its calls
 * and a tile are each drawn uniformly.
 *
 * @param ranks products of each rank as a step makes them, and the step's work
 */
public record AuditForecast(List<OfRank> ranks) {
  /**
   * One rank.
   *
   * @param layers products of each layer
   * @param step work of a step, by kernel
   * @param messages of a step
   * @param exchangedBytes at most, for a chunk of a collective
   */
  public record OfRank(List<List<ProductPlan>> layers, Collection<Work> step, Collection<Work> messages, long exchangedBytes) {}

  /**
   * Parts of a step's work.
   *
   * @param flops of the tiles over those of the step
   * @param bytes that are copied over those that kernels move
   * @param sent bytes that are exchanged over those of the step's messages; 0 where there are none
   */
  public record Overhead(double flops, double bytes, double sent) {
    /** The largest. */
    public double largest() {
      return Math.max(flops, Math.max(bytes, sent));
    }
  }

  /**
   * A fault of a given extent, at a place that nobody knows: in every step.
   *
   * @param extent in words
   * @param probability that a single audit notices it
   */
  public record Fault(String extent, double probability) {
    /** Of being noticed within so many audits; of a part of one, where a step has less than one, only some steps have it. */
    public double within(double audits) {
      double whole = Math.floor(audits);
      double hidden = Math.log1p(-(audits - whole) * probability);
      // Not as a power of 1 - p, which is 1 for small p.
      return -Math.expm1(hidden + (whole == 0 ? 0 : whole * Math.log1p(-probability)));
    }
  }

  public AuditForecast {
    ranks = List.copyOf(ranks);
  }

  /** Of what was counted with an audit. */
  public static AuditForecast of(DryRun.Counted counted) {
    var all = new ArrayList<OfRank>();
    for (DryRun.OfRank rank : counted.ranks()) {
      Map<String, List<ProductPlan>> layers = new LinkedHashMap<>();
      rank.audited().forEach(plan -> layers.computeIfAbsent(plan.layer(), unseen -> new ArrayList<>()).add(plan));
      all.add(
          new OfRank(
              List.copyOf(layers.values()), rank.kernelsPerStep().values(), rank.messagesPerStep().values(), rank.exchangedBytes()));
    }
    return new AuditForecast(all);
  }

  /** Of one audit, on the rank where it is the largest part of the rank's own step; mean over what is drawn there. */
  public Overhead ofOneAudit() {
    var worst = new Overhead(0, 0, 0);
    for (OfRank rank : ranks) {
      double flops = mean(rank, AuditForecast::flops) / Math.max(1, rank.step().stream().mapToLong(Work::flops).sum());
      double bytes = mean(rank, AuditForecast::bytes) / Math.max(1, rank.step().stream().mapToLong(Work::movedBytes).sum());
      long messages = rank.messages().stream().mapToLong(Work::movedBytes).sum();
      double sent = messages == 0 ? 0 : (double) rank.exchangedBytes() / messages;
      worst = new Overhead(Math.max(worst.flops(), flops), Math.max(worst.bytes(), bytes), Math.max(worst.sent(), sent));
    }
    return worst;
  }

  /** Of faults from one element to everything. */
  public List<Fault> faults() {
    return List.of(
        new Fault("one element of one product, in one of a step's calls, on one rank", meanOverRanks(plan -> 1.0 / (tiles(plan) * plan.calls()))),
        new Fault("one tile of one product, in every call, on one rank", meanOverRanks(plan -> 1.0 / tiles(plan))),
        new Fault("every tile of one product of one layer, on one rank", meanOverRanks(plan -> 1)),
        new Fault("one layer, on one rank", ofLayer() / ranks.size()),
        new Fault("one layer, on every rank that has it", ofLayerEverywhere()),
        new Fault("every product on one rank", 1.0 / ranks.size()),
        new Fault("one element in every tile on every rank", 1));
  }

  /** Probability that a product on a rank is drawn, times that of its tile; mean over all products that the fault may be in. */
  private double meanOverRanks(ToDoubleFunction<ProductPlan> tile) {
    double sum = 0;
    long products = 0;
    for (OfRank rank : ranks) {
      for (List<ProductPlan> layer : rank.layers()) {
        for (ProductPlan plan : layer) {
          sum += tile.applyAsDouble(plan) / (ranks.size() * (double) rank.layers().size() * layer.size());
          products++;
        }
      }
    }
    return sum / products;
  }

  /** Mean over ranks. */
  private double ofLayer() {
    return ranks.stream().mapToDouble(rank -> rank.layers().isEmpty() ? 0 : 1.0 / rank.layers().size()).average().orElse(0);
  }

  private double ofLayerEverywhere() {
    var shares = new LinkedHashMap<String, Double>();
    for (OfRank rank : ranks) {
      for (List<ProductPlan> layer : rank.layers()) {
        shares.merge(layer.getFirst().layer(), 1.0 / (ranks.size() * (double) rank.layers().size()), Double::sum);
      }
    }
    return shares.values().stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  private static double mean(OfRank rank, ToDoubleFunction<ProductPlan> of) {
    return rank.layers().stream()
        .mapToDouble(layer -> layer.stream().mapToDouble(of).average().orElse(0))
        .average()
        .orElse(0);
  }

  static double tiles(ProductPlan plan) {
    return (double) ProductPlan.tiles(plan.rows()) * ProductPlan.tiles(plan.columns());
  }

  /** Two for each summand. */
  private static double flops(ProductPlan plan) {
    return 2.0 * Math.min(ProductPlan.TILE, plan.rows()) * Math.min(ProductPlan.TILE, plan.columns()) * plan.summands();
  }

  /** Copies are read, written and downloaded; operands that are quantized again are read as FP32 at most, and written. */
  private static double bytes(ProductPlan plan) {
    double copied = 0;
    for (var elements : plan.copiedElements().entrySet()) {
      copied += (double) elements.getValue() * elements.getKey().byteSize();
    }
    double original = plan.quantizedBytes() == 0 ? 0 : plan.quantizedBytes() * (double) Float.BYTES;
    return 3 * copied + original + plan.quantizedBytes();
  }
}
