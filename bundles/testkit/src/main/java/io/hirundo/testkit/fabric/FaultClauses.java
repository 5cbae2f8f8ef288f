package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.fabric.Collective;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/** When one rank fails, all ranks soon learn which one it was, and nothing is left running. */
public interface FaultClauses extends FabricOffer {
  @Clause(value = "A rank that aborts ends the collectives of others; their errors name rank, cause, collective and sequence number",
      remedy = "World.abort(): must reach all ranks; 'rank 1 failed: CAUSE' and 'all-reduce SUM of 12 FP32, number 2 ...'")
  default void anAbortEndsWhatOthersWaitFor() {
    for (Collective kind : Collective.values()) {
      var outcomes = soon(rank -> {
        for (int i = 0; i < 2; i++) {
          begin(kind, rank, 12);
        }
        if (rank.number() == 1) {
          Thread.sleep(50);
          throw new IllegalStateException("no more power");
        }
        begin(kind, rank, 12);
        return null;
      });
      // The sender of a small transfer does not wait for the receiver.
      for (int rank : kind == Collective.SEND ? List.<Integer>of() : kind.isBetweenTwo() ? List.of(0) : List.of(0, 2)) {
        requireNamed(outcomes.get(rank), "number 2 ", "rank 1 failed: no more power");
      }
    }
  }

  @Clause(value = "A rank that closes its world while others wait for it ends the world, and is named",
      remedy = "World.close(): ranks that wait for a closed rank must not wait until the deadline")
  default void aRankThatLeftIsNamed() {
    for (Collective kind : Collective.values()) {
      if (kind == Collective.SEND) {
        continue;
      }
      var outcomes = soon(ranks().withoutAbort(), rank -> {
        begin(kind, rank, 12);
        if (rank.number() == 1) {
          throw new IllegalStateException("unseen by the others");
        }
        begin(kind, rank, 12);
        return null;
      });
      requireNamed(outcomes.get(0), "rank 1 closed its world", kind.toString());
    }
  }

  @Clause(value = "A rank with another size ends the world for all; errors name the rank, its call and the expected one",
      remedy = "ranks must compare their calls before data moves; Signature.fits() compares two calls")
  default void anotherSizeIsNamed() {
    for (Collective kind : Collective.values()) {
      if (kind == Collective.BARRIER) {
        continue;
      }
      var outcomes = soon(rank -> {
        begin(kind, rank, 12);
        Thread.sleep(rank.number() == 1 ? 100 : 0);
        begin(kind, rank, rank.number() == 1 ? 24 : 12);
        rank.all().barrier();
        return null;
      });
      outcomes.forEach(outcome -> requireNamed(outcome, "rank 1", " of 24 FP32", " of 12 FP32", "number 1 "));
    }
  }

  @Clause(value = "A rank with another collective, dtype, reduction or root ends the world for all, and is named",
      remedy = "what ranks compare: kind, reduction, root, dtype and size")
  default void anotherCollectiveIsNamed() {
    List<Ranks.Program<Object>> programs =
        List.of(
            rank -> one(rank, Collective.ALL_REDUCE, Collective.BROADCAST),
            rank -> one(rank, Collective.ALL_GATHER, Collective.ALL_TO_ALL),
            rank -> one(rank, Collective.BARRIER, Collective.ALL_REDUCE),
            rank -> one(rank, Collective.REDUCE_SCATTER, Collective.BARRIER),
            rank -> {
              Tensor x = rank.tensor(rank.number() == 1 ? DType.FP64 : DType.FP32, 4);
              rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
              return null;
            },
            rank -> {
              Tensor x = rank.tensor(DType.FP32, 4);
              rank.all().allReduce(rank.queue(), x, rank.number() == 1 ? Reduction.MAX : Reduction.SUM).await();
              return null;
            },
            rank -> {
              rank.all().broadcast(rank.queue(), rank.tensor(DType.FP32, 4), rank.number() == 1 ? 1 : 0).await();
              return null;
            });
    for (var program : programs) {
      soon(program).forEach(outcome -> requireNamed(outcome, "rank 1", " called "));
    }
  }

  private static Object one(Rank rank, Collective most, Collective one) throws InterruptedException {
    Thread.sleep(rank.number() == 1 ? 100 : 0);
    begin(rank.number() == 1 ? one : most, rank, 12);
    return null;
  }

  @Clause(value = "A missing rank is named after the deadline by the ranks that waited",
      remedy = "a deadline for every wait; the message names the collective, its sequence number and the missing rank")
  default void whoDoesNotComeIsNamed() {
    var late = new CountDownLatch(1);
    var outcomes = Ranks.of(this, Ranks.mesh(1, 1, 3), 1).outcomes(rank -> {
      if (rank.number() == 1) {
        assertTrue(late.await(20, TimeUnit.SECONDS));
      } else {
        try {
          begin(Collective.ALL_REDUCE, rank, 12);
        } finally {
          late.countDown();
        }
      }
      return null;
    });
    for (int rank : List.of(0, 2)) {
      requireNamed(outcomes.get(rank), "all-reduce SUM of 12 FP32, number 0 ", "rank 1 ");
    }
  }

  @Clause(value = "A rank whose work before a collective does not end is named after the deadline",
      remedy = "the wait for the caller's queue counts toward the deadline, and can be interrupted")
  default void whoseWorkDoesNotEndIsNamed() {
    var outcomes = Ranks.of(this, Ranks.mesh(1, 1, 2), 1).outcomes(rank -> {
      var queue = rank.number() == 1 ? new StuckQueue() : rank.queue();
      rank.all().allReduce(queue, rank.tensor(DType.FP32, 3), Reduction.SUM).await();
      return null;
    });
    outcomes.forEach(outcome -> requireNamed(outcome, "rank 1 "));
  }

  @Clause(value = "A device failure within a collective ends the world for all, and is reported",
      remedy = "exceptions in communication threads: must end the world")
  default void aFailureOfTheDeviceIsTold() {
    var outcomes = soon(rank -> {
      Tensor x = rank.bench().device().allocate(MemoryCategory.ACTIVATIONS, Shape.of(3), DType.FP32);
      try {
        if (rank.number() == 1) {
          x.close();
        }
        rank.all().barrier();
        rank.all().broadcast(rank.queue(), x, 0).await();
        rank.all().barrier();
      } finally {
        if (rank.number() != 1) {
          x.close();
        }
      }
      return null;
    });
    outcomes.forEach(outcome -> requireNamed(outcome, "rank 1 failed: "));
  }

  @Clause(value = "A rank that is interrupted while it waits ends the world, and is named",
      remedy = "an interrupt during await(): end the world with its rank, and keep the thread's interrupt flag")
  default void anInterruptedRankIsNamed() {
    var outcomes = soon(rank -> {
      if (rank.number() == 1) {
        Thread.currentThread().interrupt();
        begin(Collective.ALL_REDUCE, rank, 12);
      }
      if (rank.number() == 0) {
        begin(Collective.ALL_REDUCE, rank, 12);
      }
      Thread.sleep(200);
      begin(Collective.ALL_REDUCE, rank, 12);
      return null;
    });
    outcomes.forEach(outcome -> requireNamed(outcome, "rank 1 was interrupted"));
  }

  @Clause(value = "After an abort pending collectives fail with its cause, new ones fail, and no memory stays allocated",
      remedy = "the first abort counts; pending events happen; begin() fails before it allocates memory")
  default void everythingPendingFails() {
    var outcomes = soon(rank -> {
      var pending = new ArrayList<Pending>();
      if (rank.number() != 1) {
        for (int i = 0; i < 10; i++) {
          pending.add(rank.all().allReduce(rank.queue(), rank.tensor(DType.FP32, 7), Reduction.SUM));
        }
        pending.add(rank.all().receive(rank.queue(), rank.tensor(DType.FP32, 7), 1));
      } else {
        Thread.sleep(100);
        rank.world().abort(new IllegalStateException("enough"));
        rank.world().abort(new IllegalStateException("more than enough"));
      }
      for (Pending each : pending) {
        requireEnough(each::await);
        assertTrue(each.event().hasHappened(), "the event of a pending collective has not happened after the world ended");
      }
      long held = rank.bench().books().live(MemoryCategory.COMMUNICATION);
      for (Collective kind : Collective.values()) {
        if (rank.number() < 2 || !kind.isBetweenTwo()) {
          requireEnough(() -> begin(kind, rank, 12));
        }
      }
      assertEquals(held, rank.bench().books().live(MemoryCategory.COMMUNICATION), "bytes allocated by a rejected collective");
      assertThrows(CommunicationException.class, () -> rank.world().group(List.of(rank.number())).barrier());
      return null;
    });
    for (var outcome : outcomes) {
      assertEquals(null, outcome.failure());
    }
  }

  /** A rank that learns that a world has ended may release memory, so nothing may read or write it any more. */
  @Clause(value = "If a kernel runs when a world ends, await() waits for it: its operands may be closed after await()",
      remedy = "await() must not return while a kernel of the collective runs")
  default void aKernelThatRunsEndsFirst() {
    var slow = new SlowSums(backend());
    var outcomes = soon(ranks().on(slow), rank -> {
      if (rank.number() == 2) {
        Assumptions.assumeTrue(slow.begun.await(5, TimeUnit.SECONDS), "the fabric sums without the device's kernels");
        throw new IllegalStateException("enough");
      }
      var pair = rank.world().group(List.of(0, 1));
      Pending pending = pair.allReduce(rank.queue(), rank.tensor(DType.FP32, 12), Reduction.SUM);
      assertThrows(CommunicationException.class, pending::await);
      return ranksReadEachOther() ? slow.running() : slow.running(rank.bench().device());
    });
    if (outcomes.get(2).failure() instanceof TestAbortedException aborted) {
      throw aborted;
    }
    assertEquals(List.of(0, 0), outcomes.stream().limit(2).map(Ranks.Outcome::value).toList(), "kernels that still ran");
  }

  /** Runs one collective of a kind. In point-to-point transfers, rank 0 sends or receives and rank 1 does the opposite. */
  private static void begin(Collective kind, Rank rank, long elements) {
    var all = rank.all();
    var queue = rank.queue();
    Tensor whole = rank.tensor(DType.FP32, elements);
    Tensor part = rank.tensor(DType.FP32, elements / 3);
    switch (kind) {
      case ALL_REDUCE -> all.allReduce(queue, whole, Reduction.SUM).await();
      case ALL_GATHER -> all.allGather(queue, part, whole).await();
      case REDUCE_SCATTER -> all.reduceScatter(queue, whole, part).await();
      case BROADCAST -> all.broadcast(queue, whole, 0).await();
      case ALL_TO_ALL -> all.allToAll(queue, whole, rank.tensor(DType.FP32, elements)).await();
      case SEND, RECEIVE -> {
        if (rank.number() == (kind == Collective.SEND ? 0 : 1)) {
          all.send(queue, whole, 1 - rank.number()).await();
        } else if (rank.number() < 2) {
          all.receive(queue, whole, 1 - rank.number()).await();
        }
      }
      case BARRIER -> all.barrier();
    }
  }

  private static void requireEnough(Runnable action) {
    String message = assertThrows(CommunicationException.class, action::run).getMessage();
    assertTrue(message.contains("rank 1 failed: enough"), message);
  }

  private static void requireNamed(Ranks.Outcome<?> outcome, String... words) {
    assertNotNull(outcome.failure(), "a rank continued as if nothing had happened");
    String message = String.valueOf(outcome.failure().getMessage());
    assertTrue(outcome.failure() instanceof CommunicationException, () -> "not a CommunicationException: " + outcome.failure());
    for (String word : words) {
      assertTrue(message.contains(word), "the message does not contain '" + word + "': " + message);
    }
  }

  private Ranks ranks() {
    return Ranks.of(this, Ranks.mesh(1, 1, 3), 30);
  }

  private <T> List<Ranks.Outcome<T>> soon(Ranks.Program<T> program) {
    return soon(ranks(), program);
  }

  private static <T> List<Ranks.Outcome<T>> soon(Ranks ranks, Ranks.Program<T> program) {
    long start = System.nanoTime();
    var outcomes = ranks.outcomes(program);
    assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10), "it took more than 10 s");
    return outcomes;
  }
}
