package io.hirundo.commmpi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Much at the same time: nothing waits for what does not precede it. */
class ConcurrencyTest {
  private record Begun(Pending pending, Tensor tensor, double expected) {}

  /** Ranks begin collectives of their groups in different orders across the groups, and wait in others. */
  @Test
  void groupsDoNotWaitForEachOther() {
    var axes = List.of(Axis.TENSOR, Axis.PIPELINE, Axis.DATA);
    Ranks.run(
        Ranks.mesh(2, 2, 2),
        rank -> {
          var random = new Random(rank.number());
          var order = new ArrayList<Axis>();
          for (int i = 0; i < 20; i++) {
            order.addAll(axes);
          }
          Collections.shuffle(order, random);
          var begun = new ArrayList<Begun>();
          var round = new int[Axis.values().length];
          for (Axis axis : order) {
            int number = round[axis.ordinal()]++;
            ProcessGroup group = rank.world().along(axis);
            Tensor x = rank.tensor(DType.FP32, 257, i -> number + rank.number());
            double expected = group.ranks().stream().mapToInt(other -> number + other).sum();
            begun.add(new Begun(group.allReduce(rank.queue(), x, Reduction.SUM), x, expected));
          }
          Collections.shuffle(begun, random);
          for (Begun each : begun) {
            rank.queue().await(each.pending().event());
            assertTrue(each.pending().event().hasHappened());
            for (double value : Rank.values(each.tensor())) {
              assertEquals(each.expected(), value);
            }
          }
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void everyRankMaySendBeforeItReceives(int ranks) {
    Ranks.run(
        Ranks.mesh(1, ranks, 1),
        rank -> {
          var ring = rank.all();
          int next = (rank.number() + 1) % ranks;
          int before = (rank.number() + ranks - 1) % ranks;
          Tensor held = rank.tensor(DType.FP64, 13, i -> rank.number() * 100 + i);
          for (int step = 1; step < ranks; step++) {
            Tensor got = rank.tensor(DType.FP64, 13);
            Pending sent = ring.send(rank.queue(), held, next);
            ring.receive(rank.queue(), got, before).await();
            sent.await();
            held = got;
          }
          for (int i = 0; i < 13; i++) {
            assertEquals((rank.number() + 1) % ranks * 100 + i, Rank.values(held)[i]);
          }
          return null;
        });
  }

  @Test
  void messagesArriveInOrderAndPeersDoNotWaitForEachOther() {
    Ranks.run(
        Ranks.mesh(1, 3, 1),
        rank -> {
          var group = rank.all();
          var queue = rank.queue();
          if (rank.number() == 0) {
            var last = rank.tensor(DType.FP32, 3);
            var late = group.receive(queue, last, 2);
            var first = rank.tensor(DType.FP32, 3);
            var second = rank.tensor(DType.FP32, 3);
            group.receive(queue, first, 1);
            group.receive(queue, second, 1).await();
            assertEquals(List.of(10.0, 20.0), List.of(Rank.values(first)[0], Rank.values(second)[0]));
            var sum = rank.tensor(DType.FP32, 1, i -> 1);
            group.allReduce(queue, sum, Reduction.SUM).await();
            assertEquals(3, Rank.values(sum)[0]);
            assertFalse(late.event().hasHappened(), "nobody has sent it yet");
            group.barrier();
            late.await();
            assertEquals(30, Rank.values(last)[0]);
          } else {
            if (rank.number() == 1) {
              group.send(queue, rank.tensor(DType.FP32, 3, i -> 10), 0);
              group.send(queue, rank.tensor(DType.FP32, 3, i -> 20), 0);
            }
            group.allReduce(queue, rank.tensor(DType.FP32, 1, i -> 1), Reduction.SUM);
            group.barrier();
            if (rank.number() == 2) {
              group.send(queue, rank.tensor(DType.FP32, 3, i -> 30), 0).await();
            }
          }
          return null;
        });
  }

  @Test
  void everyPairMayExchangeInAnyOrder() {
    int ranks = 4;
    Ranks.run(
        Ranks.mesh(ranks, 1, 1),
        rank -> {
          var work = new ArrayList<Integer>();
          for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank.number()) {
              work.add(peer);
              work.add(-1 - peer);
            }
          }
          Collections.shuffle(work, new Random(rank.number()));
          var received = new ArrayList<Begun>();
          var sent = new ArrayList<Pending>();
          for (int each : work) {
            if (each < 0) {
              var tensor = rank.tensor(DType.FP32, 5);
              received.add(new Begun(rank.all().receive(rank.queue(), tensor, -1 - each), tensor, -1 - each));
            } else {
              sent.add(rank.all().send(rank.queue(), rank.tensor(DType.FP32, 5, i -> rank.number()), each));
            }
          }
          for (Begun each : received) {
            each.pending().await();
            assertEquals(each.expected(), Rank.values(each.tensor())[4]);
          }
          sent.forEach(Pending::await);
          return null;
        });
  }

  /** Sums do not depend on who comes first. */
  @Test
  void delaysDoNotChangeSums() {
    var seen = new HashSet<List<Double>>();
    for (int run = 0; run < 5; run++) {
      int late = run % 4;
      for (double[] values :
          Ranks.run(
              Ranks.mesh(1, 1, 4),
              rank -> {
                var random = new Random(rank.number());
                var x = rank.tensor(DType.FP32, 33, i -> random.nextGaussian() * Math.pow(10, random.nextInt(9)));
                Thread.sleep(rank.number() == late ? 20 : 0);
                rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
                return Rank.values(x);
              })) {
        seen.add(Arrays.stream(values).boxed().toList());
      }
    }
    assertEquals(1, seen.size());
  }
}
