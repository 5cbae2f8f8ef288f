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
 * The first steps of a run, one that looks at rounding if it has such, one validation, and a sample as long as can be if it has such, on
 * tokens that are all zero: every allocation and kernel that a run makes.
 */
public final class DryRun {
  /**
   * What was counted.
   *
   * @param parameters of the model
   * @param tokensPerStep of the global batch
   * @param modelFlopsPerStep recomputation and elementwise work left out
   * @param sendsCodes whether anything went from rank to rank in 8 bits
   * @param ranks what each rank's ledger held
   */
  public record Counted(
      long parameters, long tokensPerStep, double modelFlopsPerStep, boolean sendsCodes, List<OfRank> ranks) {
    public Counted {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * What one rank's ledger held.
   *
   * @param peakBytes highest memory in use, by category, each at its own time
   * @param peakTotalBytes highest sum at one time
   * @param workPerStep by kernel and message, where the device counts
   * @param products how its linear layers are computed; empty where the precision's name says all
   * @param audited products that an audit may look at; empty without one
   * @param exchangedBytes at most, for a chunk of a collective; 0 without an audit
   */
  public record OfRank(
      Map<MemoryCategory, Long> peakBytes,
      long peakTotalBytes,
      Map<String, Work> workPerStep,
      List<String> products,
      List<ProductPlan> audited,
      long exchangedBytes) {
    /** Without an audit. */
    public OfRank(
        Map<MemoryCategory, Long> peakBytes, long peakTotalBytes, Map<String, Work> workPerStep, List<String> products) {
      this(peakBytes, peakTotalBytes, workPerStep, products, List.of(), 0);
    }

    /** By collective and axes. */
    public Map<String, Work> messagesPerStep() {
      return CountedFabric.messages(workPerStep);
    }

    public Map<String, Work> kernelsPerStep() {
      var kernels = new LinkedHashMap<>(workPerStep);
      kernels.keySet().removeIf(name -> name.startsWith(CountedFabric.PREFIX));
      return kernels;
    }
  }

  /** Looks on, from all ranks' threads. What it throws ends the counting. */
  public interface Watch {
    /** {@code steps}: of all these ranks together, validation as one. */
    void begin(int ranks, int steps);

    /** One rank is about to open its model. */
    void rankBegins();

    /** One rank begins a message: often, where there are several ranks. */
    void message();

    /** One rank has done a step. */
    void stepDone();
  }

  private DryRun() {}

  /** As {@link #of(RunConfiguration, Strategies, Watch)}, and nobody looks on. */
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

  /** Opens the run's devices and models, and closes them. Reads no data. */
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
          fabrics.stream().anyMatch(CountedFabric::hasSentCodes),
          counted);
    }
  }
}
