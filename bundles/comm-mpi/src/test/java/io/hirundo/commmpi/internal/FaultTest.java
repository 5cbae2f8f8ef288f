package io.hirundo.commmpi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.support.Collective;
import io.hirundo.tensor.DType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever goes wrong on one rank, all learn whose doing it was, soon; {@link Ranks} checks that no thread is left. */
class FaultTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  @ParameterizedTest
  @EnumSource(Collective.class)
  void aRankThatIsKilledEndsWhatOthersWaitFor(Collective kind) {
    var cause = new IllegalStateException("no more power");
    var outcomes =
        soon(
            true,
            rank -> {
              for (int i = 0; i < 2; i++) {
                begin(kind, rank, 12);
              }
              if (rank.number() == 1) {
                Thread.sleep(50);
                throw cause;
              }
              begin(kind, rank, 12);
              return null;
            });
    for (int rank : kind == Collective.SEND ? List.<Integer>of() : kind.isBetweenTwo() ? List.of(0) : List.of(0, 2)) {
      Throwable failure = outcomes.get(rank).failure();
      assertEquals(CommunicationException.class, failure.getClass());
      assertTrue(failure.getMessage().contains("number 2 "), failure.getMessage());
      assertTrue(failure.getMessage().endsWith("was ended: rank 1 failed: no more power"), failure.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource(Collective.class)
  void aRankThatOnlyClosesItsWorldDoesToo(Collective kind) {
    if (kind == Collective.SEND) {
      // A small message is on its way when its sender goes on.
      return;
    }
    var outcomes =
        soon(
            false,
            rank -> {
              begin(kind, rank, 12);
              if (rank.number() == 1) {
                throw new IllegalStateException("unseen by the others");
              }
              begin(kind, rank, 12);
              return null;
            });
    String message = outcomes.get(0).failure().getMessage();
    assertTrue(message.contains("rank 1 closed its world while "), message);
    assertTrue(message.contains(kind.toString()), message);
  }

  @ParameterizedTest
  @EnumSource(Collective.class)
  void aRankWithAnotherSizeEndsTheWorld(Collective kind) {
    if (kind == Collective.BARRIER) {
      return;
    }
    var outcomes =
        soon(
            true,
            rank -> {
              begin(kind, rank, 12);
              Thread.sleep(rank.number() == 1 ? 100 : 0);
              begin(kind, rank, rank.number() == 1 ? 24 : 12);
              rank.all().barrier();
              return null;
            });
    for (var outcome : outcomes) {
      String message = outcome.failure().getMessage();
      // Who receives takes what the sender says for wrong.
      String called = kind == Collective.SEND ? ", receive" : kind == Collective.RECEIVE ? " send" : " " + kind;
      assertTrue(message.contains("rank 1 called" + called), message);
      assertTrue(message.contains(" of 24 FP32"), message);
      assertTrue(message.contains(" of 12 FP32"), message);
      assertTrue(message.contains("as number 1 "), message);
      assertTrue(message.contains("expected was what rank"), message);
    }
  }

  @ParameterizedTest
  @CsvSource({"ALL_REDUCE, BROADCAST", "ALL_GATHER, ALL_TO_ALL", "BARRIER, ALL_REDUCE", "REDUCE_SCATTER, BARRIER"})
  void aRankWithAnotherCollectiveEndsTheWorld(Collective most, Collective one) {
    var outcomes =
        soon(
            true,
            rank -> {
              Thread.sleep(rank.number() == 1 ? 100 : 0);
              begin(rank.number() == 1 ? one : most, rank, 12);
              return null;
            });
    for (var outcome : outcomes) {
      String message = outcome.failure().getMessage();
      assertTrue(message.contains("rank 1 called " + one), message);
      assertTrue(message.contains("expected was what ranks [0, 2] called, " + most), message);
    }
  }

  @Test
  void anotherTypeReductionOrRootEndsTheWorld() {
    List<Ranks.Program<Object>> programs =
        List.of(
            rank -> {
              var x = rank.tensor(rank.number() == 1 ? DType.FP64 : DType.FP32, 4);
              rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
              return null;
            },
            rank -> {
              var x = rank.tensor(DType.FP32, 4);
              rank.all().allReduce(rank.queue(), x, rank.number() == 1 ? Reduction.MAX : Reduction.SUM).await();
              return null;
            },
            rank -> {
              rank.all().broadcast(rank.queue(), rank.tensor(DType.FP32, 4), rank.number() == 1 ? 1 : 0).await();
              return null;
            });
    for (var program : programs) {
      for (var outcome : soon(true, program)) {
        String message = outcome.failure().getMessage();
        assertTrue(message.contains(" called "), message);
        assertTrue(message.contains("rank 1"), message);
      }
    }
  }

  @Test
  void whoDoesNotComeIsNamedAfterTheDeadline() {
    var late = new CountDownLatch(1);
    var outcomes =
        Ranks.outcomes(
            new MpiOptions(1, ""),
            Ranks.mesh(1, 1, 3),
            rank -> {
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
      String message = outcomes.get(rank).failure().getMessage();
      assertTrue(message.contains(" waited 1 s for all-reduce SUM of 12 FP32, number 0 along "), message);
      assertTrue(message.endsWith(": rank 1 did not come"), message);
    }
    assertNull(outcomes.get(1).failure());
  }

  @Test
  void whoseWorkBeforeDoesNotEndIsNamedAfterTheDeadline() {
    var outcomes =
        Ranks.outcomes(
            new MpiOptions(1, ""),
            Ranks.mesh(1, 1, 2),
            rank -> {
              Queue queue = rank.number() == 1 ? new StuckQueue() : rank.queue();
              rank.all().allReduce(queue, rank.tensor(DType.FP32, 3), Reduction.SUM).await();
              return null;
            });
    for (var outcome : outcomes) {
      String message = outcome.failure().getMessage();
      assertTrue(message.endsWith(": rank 1 came, but did not end the work before it"), message);
    }
  }

  @Test
  void aFailureOfTheDeviceEndsTheWorld() {
    var outcomes =
        soon(
            true,
            rank -> {
              var x = rank.tensor(DType.FP32, 3);
              if (rank.number() == 1) {
                x.close();
              }
              begin(Collective.BARRIER, rank, 0);
              rank.all().broadcast(rank.queue(), x, 0).await();
              rank.all().barrier();
              return null;
            });
    for (var outcome : outcomes) {
      assertEquals(CommunicationException.class, outcome.failure().getClass());
      assertTrue(outcome.failure().getMessage().contains("rank 1 failed: "), outcome.failure().getMessage());
    }
  }

  @Test
  void aRankThatIsInterruptedEndsTheWorld() {
    var outcomes =
        soon(
            true,
            rank -> {
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
    for (var outcome : outcomes) {
      assertTrue(outcome.failure().getMessage().contains("rank 1 was interrupted"), outcome.failure().getMessage());
    }
  }

  @Test
  void everythingThatIsPendingFailsAndNothingCanBeBegun() {
    var outcomes =
        soon(
            true,
            rank -> {
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
              for (var each : pending) {
                assertTrue(failure(each::await).getMessage().endsWith("rank 1 failed: enough"));
                assertTrue(each.event().hasHappened());
              }
              for (Collective kind : Collective.values()) {
                if (rank.number() < 2 || !kind.isBetweenTwo()) {
                  assertTrue(failure(() -> begin(kind, rank, 12)).getMessage().endsWith("rank 1 failed: enough"));
                }
              }
              var own = rank.world().group(List.of(rank.number()));
              assertNotNull(failure(own::barrier));
              assertEquals(rank.number() == 1 ? 0 : 64, rank.ledger().communicationBytes());
              return null;
            });
    outcomes.forEach(outcome -> assertNull(outcome.failure(), () -> outcome.failure().toString()));
  }

  /** Who is told that a world has ended may give memory back: nobody reads or writes it any more. */
  @Test
  void aKernelThatRunsEndsFirst() {
    var slow = new SlowSums();
    var outcomes =
        soon(
            true,
            slow,
            rank -> {
              if (rank.number() == 2) {
                assertTrue(slow.begun.await(5, TimeUnit.SECONDS));
                throw new IllegalStateException("enough");
              }
              var pair = rank.world().group(List.of(0, 1));
              var pending = pair.allReduce(rank.queue(), rank.tensor(DType.FP32, 12), Reduction.SUM);
              assertNotNull(failure(pending::await));
              return slow.running.get();
            });
    assertEquals(List.of(0, 0), outcomes.stream().limit(2).map(Ranks.Outcome::value).toList());
  }

  @Test
  void ranksThatHaveEndedDoNotDisturbOthers() {
    Ranks.run(
        Ranks.mesh(2, 1, 2),
        rank -> {
          rank.all().barrier();
          if (rank.number() < 2) {
            rank.world().close();
          } else {
            Thread.sleep(100);
            rank.world().group(List.of(2, 3)).barrier();
          }
          return null;
        });
  }

  /** One collective of a kind, awaited. Of messages, rank 0 sends or receives, and rank 1 does the other. */
  private static void begin(Collective kind, Rank rank, long elements) {
    var all = rank.all();
    var queue = rank.queue();
    var whole = elements == 0 ? null : rank.tensor(DType.FP32, elements);
    var part = elements == 0 ? null : rank.tensor(DType.FP32, elements / 3);
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

  private static CommunicationException failure(Runnable action) {
    try {
      action.run();
    } catch (CommunicationException e) {
      return e;
    }
    throw new AssertionError("nothing was thrown");
  }

  private static <T> List<Ranks.Outcome<T>> soon(boolean aborts, Ranks.Program<T> program) {
    return soon(aborts, Ranks.cpu(), program);
  }

  private static <T> List<Ranks.Outcome<T>> soon(boolean aborts, ComputeBackend backend, Ranks.Program<T> program) {
    long start = System.nanoTime();
    var outcomes = Ranks.outcomes(new MpiOptions(30, ""), backend, Ranks.mesh(1, 1, 3), aborts, program);
    assertTrue(System.nanoTime() - start < SOON.toNanos(), "it took more than " + SOON);
    return outcomes;
  }

  /** A queue whose work does not end until somebody loses patience. */
  private static final class StuckQueue implements Queue {
    @Override
    public Event record() {
      return new Event() {
        @Override
        public boolean hasHappened() {
          return false;
        }

        @Override
        public void await() {
          try {
            Thread.sleep(Duration.ofMinutes(5));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }
      };
    }

    @Override
    public void await(Event event) {}

    @Override
    public void drain() {}

    @Override
    public void close() {}
  }
}
