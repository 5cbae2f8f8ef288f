package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Many collectives at the same time: none waits for another that it does not depend on. */
public interface TransferOrderClauses extends FabricOffer {
    /** A pending collective, its tensor, and the expected value of the elements. */
    record Begun(Pending pending, Tensor tensor, double expected) {}

    @Clause(
            value = "Collectives of different groups do not wait for each other, in whatever order ranks begin them",
            remedy = "one lane for several groups: each group needs its own")
    default void groupsDoNotWaitForEachOther() {
        Ranks.of(this, Ranks.mesh(2, 2, 2), 40).run(rank -> {
            var random = new Random(rank.number());
            var order = new ArrayList<Axis>();
            for (int i = 0; i < 20; i++) {
                order.addAll(List.of(Axis.TENSOR, Axis.PIPELINE, Axis.DATA));
            }
            Collections.shuffle(order, random);
            var begun = new ArrayList<Begun>();
            var round = new int[Axis.values().length];
            for (Axis axis : order) {
                int number = round[axis.ordinal()]++;
                ProcessGroup group = rank.world().along(axis);
                Tensor x = rank.tensor(DType.FP32, 257, i -> number + rank.number());
                double expected =
                        group.ranks().stream().mapToInt(other -> number + other).sum();
                begun.add(new Begun(group.allReduce(rank.queue(), x, Reduction.SUM), x, expected));
            }
            Collections.shuffle(begun, random);
            for (Begun each : begun) {
                rank.queue().await(each.pending().event());
                assertTrue(
                        each.pending().event().hasHappened(),
                        "a queue continued before the collective that it awaits had ended");
                for (double value : rank.values(each.tensor())) {
                    assertEquals(each.expected(), value);
                }
            }
            return null;
        });
    }

    @Clause(
            value = "Every rank of a ring may send before it receives",
            remedy = "a send that blocks its caller, or a receive that waits for the rank's own send")
    default void everyRankMaySendFirst() {
        for (int ranks : List.of(2, 3, 8)) {
            Ranks.of(this, Ranks.mesh(1, ranks, 1), 40).run(rank -> {
                int next = (rank.number() + 1) % ranks;
                int before = (rank.number() + ranks - 1) % ranks;
                Tensor held = rank.tensor(DType.FP64, 13, i -> rank.number() * 100 + i);
                for (int step = 1; step < ranks; step++) {
                    Tensor got = rank.tensor(DType.FP64, 13);
                    Pending sent = rank.all().send(rank.queue(), held, next);
                    rank.all().receive(rank.queue(), got, before).await();
                    sent.await();
                    held = got;
                }
                for (int i = 0; i < 13; i++) {
                    assertEquals((rank.number() + 1) % ranks * 100 + i, rank.values(held)[i]);
                }
                return null;
            });
        }
    }

    @Clause(
            value = "Transfers of a pair arrive in order; those of other pairs, and collectives, do not wait for them",
            remedy =
                    "matching of transfers by anything but their order in one direction; a receive that blocks later operations")
    default void transfersArriveInOrder() {
        Ranks.of(this, Ranks.mesh(1, 3, 1), 40).run(rank -> {
            var group = rank.all();
            var queue = rank.queue();
            if (rank.number() == 0) {
                Tensor last = rank.tensor(DType.FP32, 3);
                Pending late = group.receive(queue, last, 2);
                Tensor first = rank.tensor(DType.FP32, 3);
                Tensor second = rank.tensor(DType.FP32, 3);
                group.receive(queue, first, 1);
                group.receive(queue, second, 1).await();
                assertEquals(List.of(10.0, 20.0), List.of(rank.values(first)[0], rank.values(second)[0]));
                Tensor sum = rank.tensor(DType.FP32, 1, i -> 1);
                group.allReduce(queue, sum, Reduction.SUM).await();
                assertEquals(3, rank.values(sum)[0]);
                assertFalse(late.event().hasHappened(), "received a transfer that nobody has sent");
                group.barrier();
                late.await();
                assertEquals(30, rank.values(last)[0]);
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

    @Clause(
            value = "All pairs may exchange at the same time, in whatever order each rank begins",
            remedy = "one lane for the transfers of several peers")
    default void everyPairMayExchange() {
        int ranks = 4;
        Ranks.of(this, Ranks.mesh(ranks, 1, 1), 40).run(rank -> {
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
                    Tensor tensor = rank.tensor(DType.FP32, 5);
                    received.add(new Begun(rank.all().receive(rank.queue(), tensor, -1 - each), tensor, -1 - each));
                } else {
                    sent.add(rank.all().send(rank.queue(), rank.tensor(DType.FP32, 5, i -> rank.number()), each));
                }
            }
            for (Begun each : received) {
                each.pending().await();
                assertEquals(each.expected(), rank.values(each.tensor())[4]);
            }
            sent.forEach(Pending::await);
            return null;
        });
    }
}
