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
 * Predicts the overhead of the audit and its detection probability from counted work. An audit draws uniformly a rank, one of its layers,
 * one of the layer's GEMMs, one of its calls and one tile.
 *
 * @param ranks GEMMs of each rank in a step, and the work of the step
 */
public record AuditForecast(List<OfRank> ranks) {
  /**
   * The counts of one rank.
   *
   * @param layers GEMMs of each layer
   * @param step work of a step by kernel
   * @param messages collectives of a step
   * @param exchangedBytes upper bound of the bytes exchanged for a chunk of a collective
   */
  public record OfRank(List<List<ProductPlan>> layers, Collection<Work> step, Collection<Work> messages, long exchangedBytes) {}

  /**
   * The overhead of an audit as fractions of a step's work.
   *
   * @param flops FLOPs of the recomputed tiles, divided by those of the step
   * @param bytes copied bytes, divided by the bytes that kernels move
   * @param sent exchanged bytes, divided by the bytes of the step's collectives; 0 if the step has none
   */
  public record Overhead(double flops, double bytes, double sent) {
    /** The largest of the three fractions. */
    public double largest() {
      return Math.max(flops, Math.max(bytes, sent));
    }
  }

  /**
   * A fault of a given extent at an unknown place, present in every step.
   *
   * @param extent description of the extent
   * @param probability that a single audit detects the fault
   */
  public record Fault(String extent, double probability) {
    /** The probability to detect the fault within this number of audits. A fractional part is the probability of one more audit. */
    public double within(double audits) {
      double whole = Math.floor(audits);
      double hidden = Math.log1p(-(audits - whole) * probability);
      // Computed by log1p, because 1 - p rounds to 1 for small p.
      return -Math.expm1(hidden + (whole == 0 ? 0 : whole * Math.log1p(-probability)));
    }
  }

  public AuditForecast {
    ranks = List.copyOf(ranks);
  }

  /** The forecast from the counts of a dry run with an audit. */
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

  /** The overhead of one audit, averaged over the possible draws, on the rank where it is the largest fraction of the rank's step. */
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

  /** Faults of increasing extent, from one element to every tile. */
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

  /** The probability that the GEMM and the tile of the fault are drawn, averaged over all GEMMs that may have the fault. */
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

  /** The probability that the layer of the fault is drawn on its rank, averaged over ranks. */
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

  /** Two FLOPs per multiply-add. */
  private static double flops(ProductPlan plan) {
    return 2.0 * Math.min(ProductPlan.TILE, plan.rows()) * Math.min(ProductPlan.TILE, plan.columns()) * plan.summands();
  }

  /** Each copy is read, written and downloaded. Operands that are quantized again are read as FP32 at most, and written. */
  private static double bytes(ProductPlan plan) {
    double copied = 0;
    for (var elements : plan.copiedElements().entrySet()) {
      copied += (double) elements.getValue() * elements.getKey().byteSize();
    }
    double original = plan.quantizedBytes() == 0 ? 0 : plan.quantizedBytes() * (double) Float.BYTES;
    return 3 * copied + original + plan.quantizedBytes();
  }
}
