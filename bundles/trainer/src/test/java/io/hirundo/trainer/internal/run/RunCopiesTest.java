package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.ExitCode;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpointdcp.internal.SyncFactory;
import io.hirundo.checkpointdcp.internal.TieredFactory;
import io.hirundo.event.TrainingEvent.CheckpointCopied;
import io.hirundo.event.TrainingEvent.CheckpointFetched;
import io.hirundo.event.TrainingEvent.CheckpointNotCopied;
import io.hirundo.event.TrainingEvent.CheckpointPassedOver;
import io.hirundo.event.TrainingEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.storefolder.internal.FolderOptions;
import io.hirundo.trainer.internal.copy.BackgroundFetch;
import io.hirundo.trainer.internal.copy.Fetched;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run whose checkpoints are copied to a store while it trains, and that is resumed from there. */
@Timeout(120)
class RunCopiesTest {
  private static final String CUT_OFF = "interrupted; the run has ended or takes another store; --resume takes the copy up";

  @TempDir private Path folder;

  private final HookedStore store = new HookedStore();
  private Path away;

  @BeforeEach
  void makeStore() throws IOException {
    away = Files.createDirectory(folder.resolve("away"));
  }

  private SteeredRun prepared(int ranks, Map<String, Object> more) {
    var run = new SteeredRun(folder.resolve("runs"));
    run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
    run.catalog.add("checkpoint-store", "hooked", store);
    var section = new HashMap<String, Object>();
    section.put("strategy", Map.of("name", "sync", "options", Map.of("keepLast", 1)));
    section.put("everySteps", 4);
    section.put("store", Map.of("name", "hooked", "options", Map.of("path", away.toString())));
    section.putAll(more);
    return run.with("mesh", Map.of("data", ranks)).with("checkpoint", section);
  }

  private List<Long> copies() {
    return HookedStore.copies(away, "steered").stream().map(StoredCheckpoint::step).toList();
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aRunWhoseDiskIsLostGoesOnFromItsNewestCopyAsIfNothingHadHappened(int ranks) throws IOException {
    var whole = prepared(ranks, Map.of("keepCopies", 2));
    // Before the next is saved, so that none is left out.
    whole.after(5, () -> await(() -> copies().contains(4L)));
    whole.after(9, () -> await(() -> copies().contains(8L)));
    whole.run();
    assertEquals(List.of(12L, 8L), copies());
    assertEquals(List.of(4L, 8L, 12L), whole.events(CheckpointCopied.class).stream().map(CheckpointCopied::step).toList());
    assertFalse(Files.exists(folder.resolve("runs/steered/copying")) && notEmpty(folder.resolve("runs/steered/copying")));

    try (var session = new HookedStore().create(new FolderOptions(away.toString())).open("steered")) {
      session.delete(session.list().getFirst());
    }
    Files.move(folder.resolve("runs"), folder.resolve("lost"));
    var resumed = prepared(ranks, Map.of()).resume();
    assertEquals(List.of(8L), resumed.events(CheckpointFetched.class).stream().map(CheckpointFetched::step).toList());
    assertEquals(List.of(9L, 10L, 11L, 12L), resumed.events(StepCompleted.class).stream().map(StepCompleted::step).toList());
    assertEquals(whole.losses.subList(8, 12), resumed.losses);
    assertEquals(List.of(12L, 8L), copies());
  }

  private static boolean notEmpty(Path path) throws IOException {
    try (var entries = Files.list(path)) {
      return entries.findAny().isPresent();
    }
  }

  @Test
  void whatIsHereIsTakenWhereNothingInTheStoreIsNewer() {
    prepared(1, Map.of()).run();
    var resumed = prepared(1, Map.of("atEnd", false)).resume();
    assertEquals(List.of(), resumed.events(CheckpointFetched.class));
    assertEquals(List.of(), resumed.events(CheckpointCopied.class));
  }

  @Test
  void aCheckpointThatIsDeletedWhileItIsCopiedIsCopiedWhole() {
    var deleted = new CountDownLatch(1);
    store.before = checkpoint -> await(deleted);
    var run = prepared(1, Map.of());
    run.after(
        9,
        () -> {
          assertFalse(Files.exists(run.events(CheckpointSaved.class).getFirst().checkpoint().path()), "retention keeps one");
          deleted.countDown();
        });
    run.after(10, () -> await(() -> copies().contains(8L)));
    run.run();
    assertEquals(List.of(4L, 8L, 12L), run.events(CheckpointCopied.class).stream().map(CheckpointCopied::step).toList());
    assertEquals(List.of(12L, 8L, 4L), copies());
  }

  @Test
  void oneThatCannotBeCopiedEndsNoTrainingAndIsToldAtTheEndAndCopiedByResume() {
    store.before =
        checkpoint -> {
          throw new ConfigurationException("there is no bucket");
        };
    var run = prepared(1, Map.of());
    var failure = assertThrows(CheckpointException.class, run::run);
    Path last = run.events(CheckpointSaved.class).getLast().checkpoint().path();
    assertEquals(
        last + " is saved, but not copied to " + away.resolve("steered")
            + "; continue with --resume when the store can be reached: that copies it",
        failure.getMessage());
    assertEquals(12, run.losses.size());
    assertEquals("there is no bucket", run.events(CheckpointNotCopied.class).getLast().reason());
    store.before = checkpoint -> {};
    var resumed = prepared(1, Map.of("atEnd", false)).resume();
    assertEquals(List.of(12L), resumed.events(CheckpointCopied.class).stream().map(CheckpointCopied::step).toList());
    assertEquals(List.of(12L), copies());
  }

  @Test
  void copiesOfAnotherRunAreNotTakenForThoseOfANewOne() throws IOException {
    prepared(1, Map.of()).run();
    Files.move(folder.resolve("runs"), folder.resolve("lost"));
    var refusal = assertThrows(ConfigurationException.class, () -> prepared(1, Map.of()).run());
    assertEquals(
        "run.name: " + away.resolve("steered") + " holds copies of a run of this name, the newest of step 12; continue it with "
            + "--resume, or give another run.name",
        refusal.getMessage());
    assertFalse(Files.exists(folder.resolve("runs/steered")), "a run that could not begin leaves nothing");
  }

  @Test
  void aStoreThatCannotBeReachedIsToldBeforeTheFirstStep() throws IOException {
    Files.delete(away);
    var run = prepared(1, Map.of());
    var failure = assertThrows(ConfigurationException.class, run::run);
    assertTrue(failure.getMessage().startsWith("checkpoint.store.options.path: there is no folder " + away), failure.getMessage());
    assertEquals(List.of(), run.losses);
  }

  @Test
  void aStoreWithoutCheckpointsIsRefused() {
    var none = new HashMap<String, Object>();
    none.put("strategy", null);
    var refusal = assertThrows(ConfigurationException.class, () -> prepared(1, none).configuration());
    assertTrue(refusal.getMessage().contains("checkpoint.store: there is nothing to copy"), refusal.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anotherStoreTakesOverWithWhatIsNotCopied(int ranks) throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    var cutOff = new CountDownLatch(1);
    store.before =
        checkpoint -> {
          if (cutOff.getCount() > 0) {
            await(this::interrupted);
            cutOff.countDown();
            throw new StoreException("interrupted");
          }
        };
    var run = prepared(ranks, Map.of("keepCopies", 0));
    var decision = run.change(5, "checkpoint.store.options.path=" + other);
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    assertEquals(List.of(), copies());
    assertTrue(HookedStore.copies(other, "steered").stream().anyMatch(copy -> copy.step() == 12));
    assertTrue(run.events(CheckpointCopied.class).stream().allMatch(copied -> copied.place().startsWith(other.toString())));
    assertEquals(
        List.of(new CheckpointNotCopied(4, away.resolve("steered").toString(), CUT_OFF)),
        run.events(CheckpointNotCopied.class).stream().filter(missing -> missing.place().startsWith(away.toString())).toList());
  }

  /** No copy ends by itself; returns what is counted down when one has begun. */
  private CountDownLatch copyUntilCut() {
    var begun = new CountDownLatch(1);
    store.before =
        checkpoint -> {
          begun.countDown();
          awaitCut();
        };
    return begun;
  }

  @Test
  void aStoreThatIsGivenUpTellsWhatItHasNot() {
    CountDownLatch begun = copyUntilCut();
    var run = prepared(1, Map.of("atEnd", false));
    run.after(5, () -> await(begun));
    var decision = run.change(6, "checkpoint.store=null");
    run.after(7, () -> run.interrupted.set(true));
    run.run();
    assertTrue(decision.join().granted(), decision.join().message());
    assertEquals(
        List.of(new CheckpointNotCopied(4, away.resolve("steered").toString(), CUT_OFF)), run.events(CheckpointNotCopied.class));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aRunThatEndsWithAnErrorTellsWhatIsNotCopied(int ranks) {
    CountDownLatch begun = copyUntilCut();
    var run = prepared(ranks, Map.of("everySteps", 1)).with("learningRate", Map.of("name", "constant", "options", Map.of("peak", 1e30)));
    run.after(2, () -> await(begun));
    assertThrows(DivergedException.class, run::run);
    assertEquals(
        List.of(new CheckpointNotCopied(1, away.resolve("steered").toString(), CUT_OFF)), run.events(CheckpointNotCopied.class));
    assertEquals(RunFailed.class, run.events.getLast().getClass());
  }

  private boolean interrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /** Blocks until the thread that copies or fetches is interrupted. */
  private void awaitCut() {
    await(this::interrupted);
    throw new StoreException("interrupted");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void ctrlCWhileItWaitsCutsTheLastCopyShortAndResumeTakesItUp(int ranks) {
    var run = prepared(ranks, Map.of("everySteps", 100));
    store.before =
        checkpoint -> {
          // The first look, when the waiting begins, is for what has ended the training.
          long looks = run.looks.get();
          await(() -> run.looks.get() > looks);
          run.interrupted.set(true);
          awaitCut();
        };
    run.run();
    assertTrue(run.ending.interrupted());
    assertEquals(List.of(), copies());
    assertEquals(
        List.of(CUT_OFF),
        run.events(CheckpointNotCopied.class).stream().map(CheckpointNotCopied::reason).toList());
    store.before = checkpoint -> {};
    var resumed = prepared(ranks, Map.of("atEnd", false)).resume();
    assertEquals(List.of(12L), resumed.events(CheckpointCopied.class).stream().map(CheckpointCopied::step).toList());
  }

  /** A node that is preempted leaves its last state in the store. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void ctrlCThatEndsTheTrainingDoesNotCutItsLastCopyShort(int ranks) {
    var run = prepared(ranks, Map.of());
    run.after(5, () -> await(() -> copies().contains(4L)));
    run.after(6, () -> run.interrupted.set(true));
    store.before =
        checkpoint -> {
          // Longer than a run waits before it looks again.
          long end = System.nanoTime() + Duration.ofMillis(1500).toNanos();
          await(() -> interrupted() || checkpoint.step() == 4 || System.nanoTime() > end);
          if (interrupted()) {
            throw new StoreException("interrupted");
          }
        };
    run.run();
    assertTrue(run.ending.interrupted());
    assertEquals(6, run.ending.step());
    assertEquals(List.of(6L, 4L), copies());
    assertEquals(List.of(), run.events(CheckpointNotCopied.class));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void ctrlCCutsAFetchShortAndResumeFetchesItAgain(int ranks) throws IOException {
    prepared(ranks, Map.of()).run();
    Files.move(folder.resolve("runs"), folder.resolve("lost"));
    var cut = prepared(ranks, Map.of());
    store.beforeFetch =
        () -> {
          cut.interrupted.set(true);
          awaitCut();
        };
    cut.resume();
    assertTrue(cut.ending.interrupted());
    assertEquals(List.of(), cut.losses);
    assertFalse(Files.exists(folder.resolve("runs/steered/fetching")));
    assertEquals(0, store.open.get(), "stores that nobody has closed");
    store.beforeFetch = () -> {};
    var resumed = prepared(ranks, Map.of("atEnd", false)).resume();
    assertEquals(List.of(12L), resumed.events(CheckpointFetched.class).stream().map(CheckpointFetched::step).toList());
  }

  /** In the second between the end of the fetch and the look at it. */
  @Test
  void ctrlCThatComesTooLateForAFetchSaysThatItIsHere() throws IOException {
    prepared(1, Map.of()).run();
    Files.move(folder.resolve("runs"), folder.resolve("lost"));
    var cut = prepared(1, Map.of());
    store.beforeFetch =
        () -> {
          cut.interrupted.set(true);
          await(this::interrupted);
          Thread.interrupted();
        };
    cut.resume();
    assertTrue(cut.ending.interrupted());
    assertTrue(Files.exists(folder.resolve("runs/steered/checkpoints/step-00000012")));
    assertEquals(
        ", but step 12 was here whole: it is in here, and --resume goes on from it",
        whatStays(() -> new Fetched(List.of(), Optional.of(new CheckpointFetched(12, Path.of("here"), "away", 1, 1)))));
    assertEquals(", but there was nothing to fetch", whatStays(() -> Fetched.NOTHING));
    assertEquals(
        ", and nothing of it stays; --resume fetches it again",
        whatStays(
            () -> {
              throw new StoreException("interrupted");
            }));
  }

  private static String whatStays(Callable<Fetched> work) {
    try (var fetch = new BackgroundFetch(work)) {
      assertTrue(fetch.hasEnded(Duration.ofMinutes(1)));
      return fetch.whatStays();
    }
  }

  /** The store has a damaged copy only, the run has step 7 in memory only. */
  @Test
  void aCopyThatIsPassedOverIsToldWithTheStepThatTheRunGoesOnFrom() throws IOException {
    var memory = Files.createDirectory(folder.resolve("memory"));
    Map<String, Object> tiered =
        Map.of(
            "strategy",
            Map.of("name", "dcp-tiered", "options", Map.of("durableEvery", 100, "memory", Map.of("directory", memory.toString()))),
            "everySteps", 1, "atEnd", false, "onDamage", "previous");
    var first = prepared(1, tiered);
    first.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
    first.after(7, () -> first.interrupted.set(true));
    first.run();
    putDamaged(12);
    var resumed = prepared(1, tiered);
    resumed.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
    resumed.resume();
    assertEquals(8, resumed.events(StepCompleted.class).getFirst().step());
    assertEquals(List.of(7L), resumed.events(CheckpointPassedOver.class).stream().map(CheckpointPassedOver::step).toList());
  }

  private void putDamaged(long step) throws IOException {
    Path checkpoint = Files.createDirectories(folder.resolve("another/step-000000" + step));
    Files.writeString(checkpoint.resolve("data"), "of another step");
    try (var session = new HookedStore().create(new FolderOptions(away.toString())).open("steered")) {
      session.put(new CheckpointInfo(checkpoint, step, 15), done -> {});
    }
    try (var below = Files.walk(away)) {
      Files.writeString(below.filter(file -> file.endsWith("data")).findFirst().orElseThrow(), "of ANOTHER step");
    }
  }

  @Test
  void aStoreThatIsLostWhileItIsFetchedFromIsNoDamageAndIsClosed() throws IOException {
    prepared(1, Map.of()).run();
    Files.move(folder.resolve("runs"), folder.resolve("lost"));
    store.beforeFetch =
        () -> {
          throw new StoreException("connection reset");
        };
    var failure = assertThrows(StoreException.class, () -> prepared(1, Map.of("onDamage", "previous")).resume());
    assertEquals(ExitCode.CHECKPOINT, failure.exitCode());
    assertEquals(0, store.open.get(), "stores that nobody has closed");
  }

  @Test
  void aStoreThatCannotBeReachedDoesNotTakeOver() {
    var run = prepared(1, Map.of());
    var decision = run.change(5, "checkpoint.store.options.path=" + folder.resolve("nowhere"));
    run.run();
    assertFalse(decision.join().granted());
    assertTrue(decision.join().message().contains("there is no folder"), decision.join().message());
    assertEquals(12L, copies().getFirst());
  }
}
