package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.UnavailableException;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.run.FaultyPrecision.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategySwapTest {
  private static final Map<String, Object> PIPELINE = Map.of("pipeline", 2, "data", 2);

  @TempDir private Path folder;
  private int runs;

  private SteeredRun prepared() {
    return new SteeredRun(folder.resolve("run-" + runs++));
  }

  private List<Double> unchanged() {
    return prepared().run().losses;
  }

  @Test
  void anotherStrategyOfTheSameNumbersChangesNoBit() {
    var run = prepared();
    var decision = run.change(3, "precision=faulty");
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    assertEquals(4, decision.join().step());
    assertEquals(unchanged(), run.losses);
    var event = run.events(TrainingEvent.StrategiesChanged.class).getFirst();
    assertEquals(4, event.step());
    assertTrue(event.changes().getFirst().startsWith("precision: \"fp32\" to {\"name\":\"faulty\""), event.toString());
    assertTrue(event.parity().contains("differs by 0.00, allowed"), event.parity());
  }

  @ParameterizedTest
  @CsvSource({
    "transposed-weight-gradient, the weight gradient of model.layers.1.self_attn.o_proj.weight differs by",
    "overwritten-weight-gradient, the weight gradient of model.layers.1.self_attn.o_proj.weight differs by",
    "unclosable, the weight gradient of model.layers.1.self_attn.o_proj.weight differs by",
    "throws, it failed: java.lang.IllegalStateException: out of luck",
    "trips, it failed at model.layers.1.self_attn.o_proj.weight: java.lang.IllegalStateException: fell over a microbatch",
    "refuses, it does not like it",
  })
  void whatIsWrongIsRefusedAndLeavesNoTrace(String fault, String reason) {
    var run = prepared().with("mesh", PIPELINE);
    var decision = run.change(3, "precision.name=faulty", "precision.options.fault=" + fault);
    run.run();
    assertFalse(decision.join().granted());
    assertTrue(decision.join().message().contains(reason), decision.join().message());
    assertEquals(prepared().with("mesh", PIPELINE).run().losses, run.losses);
    assertEquals(1, run.events(TrainingEvent.ChangeRefused.class).size());
  }

  /** Half a microbatch is tried, where it has more than one sample. */
  @Test
  void partOfAMicrobatchIsEnoughToFindAFault() {
    var training = Map.of("steps", SteeredRun.STEPS, "sequenceTokens", 16, "globalBatch", 4, "microBatch", 2);
    Map<String, Object> mesh = Map.of("tensor", 2, "pipeline", 2);
    var run = prepared().with("mesh", mesh).with("training", training);
    var refused = run.change(2, "precision.name=faulty", "precision.options.fault=overwritten-weight-gradient");
    var granted = run.change(5, "precision=faulty");
    run.run();
    assertTrue(refused.join().message().contains("the weight gradient of"), refused.join().message());
    assertTrue(granted.join().granted(), granted.join().message());
    assertEquals(prepared().with("mesh", mesh).with("training", training).run().losses, run.losses);
  }

  @Test
  void fullyShardedWeightsAreWhereTheyAreNow() {
    Map<String, Object> mesh = Map.of("pipeline", 2, "data", 2, "dataParallel", "fsdp");
    var run = prepared().with("mesh", mesh);
    var refused = run.change(1, "precision.name=faulty", "precision.options.fault=transposed-weight-gradient");
    var there = run.change(4, "precision=bf16");
    var back = run.change(8, "precision=fp32");
    run.run();
    assertTrue(refused.join().message().contains("the weight gradient of"), refused.join().message());
    assertTrue(there.join().granted(), there.join().message());
    assertTrue(back.join().granted(), back.join().message());
    List<Double> expected = prepared().with("mesh", mesh).run().losses;
    assertEquals(expected.subList(0, 5), run.losses.subList(0, 5));
    for (int step = 0; step < SteeredRun.STEPS; step++) {
      assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
    }
  }

  @ParameterizedTest
  @CsvSource({"tensor, 2, data, 2", "pipeline, 2, context, 2"})
  void fromBinary32ToBfloat16AndBack(String axis, int size, String otherAxis, int otherSize) {
    Map<String, Object> mesh = Map.of(axis, size, otherAxis, otherSize);
    var run = prepared().with("mesh", mesh);
    var there = run.change(2, "precision=bf16");
    var back = run.change(6, "precision=fp32");
    run.run();
    assertTrue(there.join().granted(), there.join().message());
    assertTrue(back.join().granted(), back.join().message());
    List<Double> expected = prepared().with("mesh", mesh).run().losses;
    assertEquals(expected.subList(0, 3), run.losses.subList(0, 3));
    assertNotEquals(expected.get(4), run.losses.get(4));
    for (int step = 0; step < SteeredRun.STEPS; step++) {
      assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
    }
  }

  @Test
  void theScheduleOfAPipeline() {
    var run = prepared().with("mesh", PIPELINE);
    var toGPipe = run.change(2, "mesh.schedule=gpipe");
    var toZeroBubble = run.change(5, "mesh.schedule=zb-h1");
    run.run();
    assertTrue(toGPipe.join().granted(), toGPipe.join().message());
    assertTrue(toZeroBubble.join().granted(), toZeroBubble.join().message());
    List<Double> expected = prepared().with("mesh", PIPELINE).run().losses;
    for (int step = 0; step < SteeredRun.STEPS; step++) {
      assertEquals(expected.get(step), run.losses.get(step), 1e-6);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mesh.schedule=interleaved, would have other weights than now",
    "precision=fp64, its parameters are FP64",
    "device.options.workers=2, device: cannot change while the run goes on",
    "precision=fp3, did you mean",
    "mesh.dataParallel=fsdp, would lay the weights out in another way",
    "mesh.dataParallel.options.bucketElements=1000, would lay the weights out in another way",
    "mesh.data=4, mesh.data: cannot change while the run goes on",
    "data.source=stubborn, cannot take over in the middle",
    "data.source.options.vocabulary=200, the data was made for a vocabulary of 200 tokens",
    "learningRate=endless, learningRate: Infinity at step 4",
  })
  void whatCannotCarryOverIsRefusedWithTheReason(String assignment, String reason) {
    var run = prepared().with("mesh", PIPELINE);
    var decision = run.change(2, assignment);
    run.run();
    assertFalse(decision.join().granted());
    assertTrue(decision.join().message().contains(reason), decision.join().message());
    assertEquals(SteeredRun.STEPS, run.losses.size());
  }

  @ParameterizedTest
  @CsvSource({
    "zero1, mesh.dataParallel.options.overlapGradients=false, mesh.dataParallel.options.overlapParameters=false",
    "fsdp, mesh.dataParallel.options.overlap=false, mesh.tensorParallel.options.overlap=false",
  })
  void overlapIsSwitchedOffAndOnWithoutABit(String dataParallel, String one, String other) {
    Map<String, Object> mesh = Map.of("tensor", 2, "data", 2, "dataParallel", dataParallel);
    var run = prepared().with("mesh", mesh);
    var off = run.change(2, one, other);
    var on = run.change(6, one.replace("false", "true"), other.replace("false", "true"));
    run.run();
    assertTrue(off.join().granted(), off.join().message());
    assertTrue(on.join().granted(), on.join().message());
    assertEquals(prepared().with("mesh", mesh).run().losses, run.losses);
  }

  @Test
  void anotherOptimizerTakesTheStateOver() {
    var run = prepared().with("mesh", Map.of("data", 2));
    run.catalog.add("optimizer", "other", new AdamWFactory());
    var decision = run.change(4, "optimizer=other");
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    assertEquals(prepared().with("mesh", Map.of("data", 2)).run().losses, run.losses);
  }

  @Test
  void theDataGoesOnFromTheSameSample() {
    var run = prepared();
    var decision = run.change(4, "data.source.options.seed=99");
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    List<Double> expected = unchanged();
    assertEquals(expected.subList(0, 5), run.losses.subList(0, 5));
    assertNotEquals(expected.get(5), run.losses.get(5));
  }

  @Test
  void theLearningRateAndWhatIsRecomputed() throws Exception {
    var run = prepared();
    var decision = run.change(4, "learningRate.options.peak=0.002", "training.recompute=full");
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    var rates = run.events(TrainingEvent.StepCompleted.class).stream().map(step -> step.metrics().learningRate()).toList();
    assertEquals(1e-3, rates.get(4));
    assertEquals(2e-3, rates.get(5));
    String written = Files.readString(folder.resolve("run-0/steered/config.json"));
    assertTrue(written.contains("0.002"), "--resume goes on with what was last chosen: " + written);
  }

  @Test
  void aChangeAfterWhichTheLossJumpsIsTakenBack() {
    var run = prepared();
    run.change(6, "learningRate.options.peak=3");
    run.run();
    var changes = run.events(TrainingEvent.StrategiesChanged.class);
    assertEquals(2, changes.size(), changes.toString());
    assertTrue(changes.get(1).reason().startsWith("the loss rose to"), changes.get(1).reason());
    var last = run.events(TrainingEvent.StepCompleted.class).getLast();
    assertEquals(1e-3, last.metrics().learningRate());
  }

  /** Takes an offer away after a step, and brings it back as soon as the run has let go: only then would its bundle stop. */
  private static void update(SteeredRun run, long step, String kind, StrategyFactory<?, ?> factory) {
    update(run, step, kind, factory, factory);
  }

  private static void update(
      SteeredRun run, long step, String kind, StrategyFactory<?, ?> factory, StrategyFactory<?, ?> successor) {
    var offer = run.catalog.add(kind, "plug", factory);
    run.after(
        step,
        () -> {
          run.catalog.remove(offer);
          Thread.ofPlatform().start(
              () -> {
                while (run.catalog.isHeld(offer)) {
                  Thread.onSpinWait();
                }
                run.catalog.add(kind, "plug", successor);
              });
        });
  }

  @Test
  void aStrategyWhoseBundleGoesIsLetGoAndComesBack() {
    var run = prepared().with("precision", Map.of("name", "plug"));
    update(run, 5, "precision", new Fp32Factory());
    run.run();
    assertEquals(unchanged(), run.losses);
    assertEquals(1, run.events(TrainingEvent.RunPaused.class).size());
    assertTrue(run.events(TrainingEvent.RunPaused.class).getFirst().reason().contains("precision: plug of test.plug"));
    assertTrue(run.events(TrainingEvent.ChangeRefused.class).isEmpty(), "nobody asked for anything");
    assertEquals(6, run.events(TrainingEvent.RunResumed.class).getFirst().step());
  }

  @Test
  void aWrongUpdateIsRefusedThoughTheOldOneHasGone() {
    var run = prepared().with("precision", Map.of("name", "plug"));
    update(run, 5, "precision", new Fp32Factory(), new FaultyPrecision(Fault.TRANSPOSED_WEIGHT_GRADIENT));
    run.afterRefusal(run.steering::stop).run();
    String reason = run.events(TrainingEvent.ChangeRefused.class).getLast().reason();
    assertTrue(reason.contains("the weight gradient of " + FaultyPrecision.FAULTY_LAYER), reason);
    assertEquals(6, run.losses.size());
  }

  @Test
  void anOptimizerThatComesBackFindsItsState() {
    var run = prepared().with("optimizer", Map.of("name", "plug"));
    update(run, 5, "optimizer", new AdamWFactory());
    assertEquals(unchanged(), run.run().losses);
  }

  @Test
  void dataThatComesBackGoesOnWhereItWas() {
    var source = Map.of("name", "plug", "options", Map.of("vocabulary", 96));
    var run = prepared().with("data", Map.of("source", source)).with("mesh", Map.of("data", 2));
    update(run, 5, "data", new SyntheticFactory());
    assertEquals(prepared().with("mesh", Map.of("data", 2)).run().losses, run.run().losses);
  }

  @Test
  void ofSeveralThatAreMissedOthersStayOpen() {
    var run = prepared().with("precision", Map.of("name", "plug"));
    var monitor = new ClosingMonitorFactory();
    run.catalog.add("monitor", "closing", monitor);
    run.monitors("closing");
    update(run, 5, "precision", new Fp32Factory());
    run.run();
    assertEquals(0, monitor.closedEarly, "a refused change closed a monitor that it did not touch");
    assertEquals(1, monitor.closed);
  }

  @Test
  void whatDoesNotComeBackEndsTheRun() {
    var run = prepared().with("swap", Map.of("waitSeconds", 1)).with("precision", Map.of("name", "plug"));
    var offer = run.catalog.add("precision", "plug", new Fp32Factory());
    run.after(5, () -> run.catalog.remove(offer));
    var failure = assertThrows(UnavailableException.class, run::run);
    assertTrue(failure.getMessage().contains("did not come back within 1 s"), failure.getMessage());
    assertFalse(run.catalog.isHeld(offer));
  }

  @Test
  void pauseAndResumeAndStop() {
    var run = prepared();
    var states = new ArrayList<RunStatus.State>();
    Runnable look = () -> states.add(run.steering.status().state());
    run.after(
        3,
        () ->
            run.steering
                .pause()
                .thenRun(look)
                .thenRun(() -> run.steering.resume().thenRun(look).thenRun(() -> run.steering.stop())));
    run.run();
    assertEquals(List.of(RunStatus.State.PAUSED, RunStatus.State.RUNNING), states, "as the answers said");
    assertEquals(4, run.losses.size());
    assertEquals(1, run.events(TrainingEvent.RunFinished.class).size());
    assertTrue(run.events(TrainingEvent.RunFinished.class).getFirst().interrupted());
    assertFalse(run.steering.pause().join().granted());
  }

  /** Counts whether its monitor is closed, and whether something was told to it after that. */
  private static final class ClosingMonitorFactory implements StrategyFactory<NoOptions, TrainingListener> {
    private int closed;
    private int closedEarly;

    @Override
    public Class<NoOptions> optionsType() {
      return NoOptions.class;
    }

    @Override
    public Class<TrainingListener> contract() {
      return TrainingListener.class;
    }

    @Override
    public TrainingListener create(NoOptions options) {
      return new Closing();
    }

    private final class Closing implements TrainingListener, AutoCloseable {
      private boolean isClosed;

      @Override
      public void on(TrainingEvent event) {
        if (isClosed) {
          closedEarly++;
        }
      }

      @Override
      public void close() {
        isClosed = true;
        closed++;
      }
    }
  }
}
