package io.hirundo.trainer.internal.plan;

import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Pending;
import io.hirundo.model.ModelSpec;
import io.hirundo.trainer.internal.accounting.AccountedLedger;
import io.hirundo.trainer.internal.accounting.AccountedLedger.Work;
import io.hirundo.trainer.internal.accounting.CountedFabric;
import io.hirundo.trainer.internal.accounting.FlopCount;
import io.hirundo.trainer.internal.audit.AuditWorker;
import io.hirundo.trainer.internal.audit.ProductPlan;
import io.hirundo.trainer.internal.audit.RankAudit;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.data.HostBatch;
import io.hirundo.trainer.internal.evaluation.Evaluator;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.layout.LayoutCheck;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.model.ModelWeights;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.OpeningTurn;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.rank.RankTeam;
import io.hirundo.trainer.internal.rank.SampleShard;
import io.hirundo.trainer.internal.step.RankFingerprints;
import io.hirundo.trainer.internal.step.RankUpdate;
import io.hirundo.trainer.internal.step.StepRunner;
import io.hirundo.trainer.internal.step.StepSignals;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.tensors.ModelTensors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
  /** The second step finds the memory as every later one does, the one after a {@link #MEASURED_STEP} too. */
  private static final int STEPS = 2;

  private static final int MEASURED_STEP = STEPS + 1;
  private static final int FINGERPRINTED_STEP = MEASURED_STEP + 2;

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
    watch.begin(numbers.size(), numbers.size() * (STEPS + (isMeasured(configuration) ? 2 : 0) + (isFingerprinted(configuration) ? 1 : 0) + 1));
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
                  ofRank(ranks.get(index), ledgers.get(index), messages.get(index), configuration, strategies, turns.get(index), watch),
              (index, failure) -> ranks.get(index).world().abort(failure));
      return new Counted(
          ModelTensors.parameters(spec),
          (long) training.globalBatch() * training.sequenceTokens(),
          FlopCount.ofStep(spec, training.globalBatch(), training.sequenceTokens()),
          fabrics.stream().anyMatch(CountedFabric::hasSentCodes),
          counted);
    }
  }

  private static OfRank ofRank(
      Rank rank,
      AccountedLedger ledger,
      List<Pending> messages,
      RunConfiguration configuration,
      Strategies strategies,
      OpeningTurn turn,
      Watch watch) {
    var training = configuration.training();
    try (RankModel model = open(rank, configuration, strategies, turn, watch);
        var update = new RankUpdate(model, strategies.step().optimizer());
        var opened = new Opened()) {
      new ModelWeights(model).initialize(configuration.seed());
      RankAudit audit =
          configuration.audit().isOn()
              ? opened.add(rank.audit(configuration, opened.add(new AuditWorker(), AuditWorker::close)), RankAudit::close)
              : null;
      var steps = new StepRunner(model, update, training, audit);
      SampleSet zeros = new Zeros(strategies.data().source().documents());
      long share = SampleShard.of(rank, training.microBatch()).of(0, training.globalBatch()).count();
      // One row for all samples: those of all ranks of a large mesh would not fit into memory.
      var batch =
          new HostBatch(
              Collections.nCopies(Math.toIntExact(share), new int[training.sequenceTokens() + 1]),
              strategies.data().source().documents());
      for (int step = 1; step <= STEPS; step++) {
        ledger.clearWork();
        steps.step(batch, step, 0, StepSignals.SILENT);
        // Copies and sums that they take are the step's as well.
        messages.forEach(Pending::await);
        messages.clear();
        watch.stepDone();
      }
      var workPerStep = ledger.work();
      if (isMeasured(configuration)) {
        steps.measuredStep(batch, MEASURED_STEP, 0, StepSignals.SILENT);
        watch.stepDone();
        steps.step(batch, MEASURED_STEP + 1, 0, StepSignals.SILENT);
        messages.forEach(Pending::await);
        watch.stepDone();
      }
      if (isFingerprinted(configuration)) {
        var fingerprints = new RankFingerprints(model);
        steps.observedStep(batch, FINGERPRINTED_STEP, 0, StepSignals.SILENT, fingerprints);
        fingerprints.ofAll(FINGERPRINTED_STEP);
        messages.forEach(Pending::await);
        watch.stepDone();
      }
      new Evaluator(
              model, zeros, training.sequenceTokens(), configuration.evaluation().samples(), training.microBatch())
          .evaluate();
      if (configuration.samples().areOn()) {
        var logits = new LogitReader(model, training.sequenceTokens());
        logits.afterLast(new int[logits.maximumTokens()]);
      }
      watch.stepDone();
      return new OfRank(ledger.peakBytes(), ledger.peakTotalBytes(), workPerStep, model.describeProducts(),
          audit == null ? List.of() : audit.products(), audit == null ? 0 : audit.exchangedBytes());
    }
  }

  private static RankModel open(
      Rank rank, RunConfiguration configuration, Strategies strategies, OpeningTurn turn, Watch watch) {
    turn.begin();
    try {
      watch.rankBegins();
      return RankModel.open(
          rank,
          strategies.compute(),
          strategies.parallel(),
          strategies.model().architecture(),
          configuration.mesh().stageLayers());
    } finally {
      turn.end();
    }
  }

  /** Whether one of the run's steps looks at rounding. */
  private static boolean isMeasured(RunConfiguration configuration) {
    long every = configuration.evaluation().roundingEverySteps();
    return every > 0 && every <= configuration.training().steps();
  }

  /** Whether fingerprints are taken of one of the run's steps. */
  private static boolean isFingerprinted(RunConfiguration configuration) {
    return configuration.fingerprints().areOn(configuration.training().steps());
  }

  private record Zeros(DocumentRules documents) implements SampleSet {
    @Override
    public long count(Split split) {
      return Long.MAX_VALUE;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      Arrays.fill(into, 0);
    }

    @Override
    public int vocabularyBound() {
      return 0;
    }

    @Override
    public String describe() {
      return "zeros";
    }

    @Override
    public void close() {}
  }
}
