package io.hirundo.trainer.internal.plan;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Pending;
import io.hirundo.model.ModelSpec;
import io.hirundo.trainer.internal.accounting.AccountedLedger;
import io.hirundo.trainer.internal.accounting.AccountedLedger.Work;
import io.hirundo.trainer.internal.accounting.CountedFabric;
import io.hirundo.trainer.internal.accounting.FlopCount;
import io.hirundo.trainer.internal.audit.ProductPlan;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.layout.LayoutCheck;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.rank.OpeningTurn;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.rank.RankTeam;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.tensors.ModelTensors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * Runs the first steps of a run on zero tokens to count its memory and work. It makes every kind of allocation and kernel that the run
 * makes. If the configuration has them, it includes a step that measures quantization error, a fingerprinted step and a generated sample of
 * maximum length. It always includes one validation.
 */
public final class DryRun {
  /**
   * The counts of a dry run.
   *
   * @param parameters number of parameters of the model
   * @param tokensPerStep tokens of the global batch
   * @param modelFlopsPerStep model FLOPs of a step, without recomputation and elementwise work
   * @param sendsFp8 whether any transfer between ranks is in FP8
   * @param ranks counts of each rank
   */
  public record Counted(
      long parameters, long tokensPerStep, double modelFlopsPerStep, boolean sendsFp8, List<OfRank> ranks) {
    public Counted {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * The counts of one rank.
   *
   * @param peakBytes peak memory of each category; the peaks may be at different times
   * @param peakTotalBytes peak of the sum of all categories
   * @param workPerStep work by kernel and collective, if the device counts it
   * @param products GEMM precision summary; empty if the name of the precision says everything
   * @param audited GEMMs that an audit may check; empty without an audit
   * @param exchangedBytes upper bound of the bytes exchanged for a chunk of a collective; 0 without an audit
   */
  public record OfRank(
      Map<MemoryCategory, Long> peakBytes,
      long peakTotalBytes,
      Map<String, Work> workPerStep,
      List<String> products,
      List<ProductPlan> audited,
      long exchangedBytes) {
    /** Creates counts without an audit. */
    public OfRank(
        Map<MemoryCategory, Long> peakBytes, long peakTotalBytes, Map<String, Work> workPerStep, List<String> products) {
      this(peakBytes, peakTotalBytes, workPerStep, products, List.of(), 0);
    }

    /** Work of the collectives of a step, by collective and axes. */
    public Map<String, Work> messagesPerStep() {
      return CountedFabric.messages(workPerStep);
    }

    public Map<String, Work> kernelsPerStep() {
      var kernels = new LinkedHashMap<>(workPerStep);
      kernels.keySet().removeIf(name -> name.startsWith(CountedFabric.PREFIX));
      return kernels;
    }
  }

  /** Progress listener, called from the threads of all ranks. An exception cancels the dry run. */
  public interface Watch {
    /** {@code steps}: total steps of these ranks; a validation counts as a step. */
    void begin(int ranks, int steps);

    /** Called before a rank opens its model. */
    void rankBegins();

    /** Called for each collective of a rank. */
    void message();

    /** Called after a rank has completed a step. */
    void stepDone();
  }

  private DryRun() {}

  /** As {@link #of(RunConfiguration, Strategies, Watch)}, without a progress listener. */
  public static Counted of(RunConfiguration configuration, Strategies strategies) {
    return of(
        configuration,
        strategies,
        new Watch() {
          @Override
          public void begin(int ranks, int steps) {}

          @Override
          public void rankBegins() {}

          @Override
          public void message() {}

          @Override
          public void stepDone() {}
        });
  }

  /** Opens the devices and models of the run, counts and closes them. Reads no data. */
  public static Counted of(RunConfiguration configuration, Strategies strategies, Watch watch) {
    ModelSpec spec = strategies.model().architecture().describe();
    LayoutCheck.checkBegin(configuration, spec, strategies);
    var training = configuration.training();
    var mesh = configuration.mesh().mesh();
    ComputeBackend backend = strategies.compute().backend().sharedBy(mesh.ranks());
    var numbers = strategies.parallel().fabric().localRanks(mesh);
    var ranks = new ArrayList<Rank>();
    watch.begin(numbers.size(), numbers.size() * RankDryRun.steps(configuration));
    var ledgers = numbers.stream().map(number -> new AccountedLedger(Long.MAX_VALUE)).toList();
    try (var team = new RankTeam(numbers);
        var opened = new Opened()) {
      for (int index = 0; index < numbers.size(); index++) {
        ranks.add(opened.add(Rank.open(backend, index, ledgers.get(index)), Rank::close));
      }
      var permits = new Semaphore(Runtime.getRuntime().availableProcessors());
      var turns = numbers.stream().map(number -> new OpeningTurn(permits)).toList();
      List<List<Pending>> messages = numbers.stream().<List<Pending>>map(number -> new ArrayList<>()).toList();
      List<CountedFabric> fabrics =
          IntStream.range(0, numbers.size())
              .mapToObj(
                  index ->
                      new CountedFabric(
                          ranks.get(index).audited(strategies.parallel().fabric()),
                          ledgers.get(index),
                          message -> {
                            turns.get(index).end();
                            watch.message();
                            messages.get(index).add(message);
                          }))
              .toList();
      team.each(
          index -> {
            ranks.get(index).join(fabrics.get(index), numbers.get(index), mesh);
            return null;
          });
      var counted =
          team.each(
              index ->
                  RankDryRun.of(ranks.get(index), ledgers.get(index), messages.get(index), configuration, strategies, turns.get(index), watch),
              (index, failure) -> ranks.get(index).world().abort(failure));
      return new Counted(
          ModelTensors.parameters(spec),
          (long) training.globalBatch() * training.sequenceTokens(),
          FlopCount.ofStep(spec, training.globalBatch(), training.sequenceTokens()),
          fabrics.stream().anyMatch(CountedFabric::hasSentFp8),
          counted);
    }
  }
}
