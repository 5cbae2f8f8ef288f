package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** How ranks connect, form groups and leave. */
public interface GroupClauses extends FabricOffer {
    @Clause(
            value =
                    "A group has the ranks that differ only along its axes, the first axis varying fastest; it is created once",
            remedy = "World.along(): Mesh.ranksAlong() gives the ranks, and the same axes give the same object")
    default void groupsFollowTheMesh() {
        var groups = Ranks.of(this, Ranks.mesh(2, 2, 2), 40).run(rank -> {
            World world = rank.world();
            assertEquals(rank.number(), world.rank());
            assertEquals(Ranks.mesh(2, 2, 2), world.mesh());
            assertSame(world.along(Axis.DATA, Axis.TENSOR), world.along(Axis.TENSOR, Axis.DATA));
            assertNotSame(world.along(Axis.DATA), world.along(Axis.TENSOR));
            assertSame(world.group(rank.all().ranks()), world.group(rank.all().ranks()));
            return List.of(
                    world.along(Axis.TENSOR).ranks(),
                    world.along(Axis.PIPELINE).ranks(),
                    world.along(Axis.DATA).ranks(),
                    world.along(Axis.TENSOR, Axis.DATA).ranks(),
                    world.along(Axis.CONTEXT).ranks(),
                    List.of(world.along(Axis.PIPELINE, Axis.DATA).rank()));
        });
        assertEquals(
                List.of(List.of(4, 5), List.of(5, 7), List.of(1, 5), List.of(0, 1, 4, 5), List.of(5), List.of(2)),
                groups.get(5));
    }

    @Clause(
            value = "Groups of listed ranks keep the order of the list, and groups with common ranks are independent",
            remedy =
                    "World.group(): a rank's index in the group is its index in the list; collectives of two groups must not be mixed up")
    default void listedGroupsAreApart() {
        var lists = List.of(List.of(3, 0, 1), List.of(0, 1), List.of(1, 2), List.of(1, 0));
        Ranks.of(this, Ranks.mesh(4, 1, 1), 40).run(rank -> {
            var own = lists.stream()
                    .filter(ranks -> ranks.contains(rank.number()))
                    .toList();
            own.forEach(rank.world()::group);
            // In the reverse order of their creation.
            for (List<Integer> ranks : own.reversed()) {
                ProcessGroup group = rank.world().group(ranks);
                assertEquals(ranks, group.ranks());
                assertEquals(ranks.indexOf(rank.number()), group.rank());
                Tensor shard = rank.tensor(DType.FP32, 1, i -> rank.number());
                Tensor whole = rank.tensor(DType.FP32, ranks.size());
                group.allGather(rank.queue(), shard, whole).await();
                assertArrayEquals(
                        ranks.stream().mapToDouble(Integer::doubleValue).toArray(), rank.values(whole));
            }
            return null;
        });
    }

    @Clause(
            value = "Invalid groups are rejected: without this rank, with a duplicate, with a rank outside the world",
            remedy = "World.group(): an IllegalArgumentException before any communication")
    default void rejectsInvalidGroups() {
        Ranks.of(this, Ranks.mesh(2, 1, 1), 40).run(rank -> {
            for (List<Integer> ranks : List.of(List.of(1 - rank.number()), List.of(0, 1, 1), List.of(0, 1, 2))) {
                assertThrows(IllegalArgumentException.class, () -> rank.world().group(ranks));
            }
            return null;
        });
    }

    @Clause(
            value = "Operands that do not fit are rejected on their own rank, before any communication",
            remedy =
                    "checks of parts, types, roots and peers at the beginning of each collective; io.hirundo.lib.fabric has them")
    default void rejectsMismatchedOperands() {
        Ranks.of(this, Ranks.mesh(2, 1, 1), 40).run(rank -> {
            var all = rank.all();
            var queue = rank.queue();
            Tensor three = rank.tensor(DType.FP32, 3);
            Tensor four = rank.tensor(DType.FP32, 4);
            Tensor integers = rank.tensor(DType.INT32, 4);
            rejected(() -> all.allGather(queue, three, four));
            rejected(() -> all.allGather(queue, rank.tensor(DType.BF16, 2), four));
            rejected(() -> all.reduceScatter(queue, four, three));
            rejected(() -> all.allToAll(queue, three, rank.tensor(DType.FP32, 3)));
            rejected(() -> all.allToAll(queue, four, four));
            rejected(() -> all.allToAllRows(queue, three, new long[] {1}, rank.tensor(DType.FP32, 3), new long[] {1}));
            rejected(() ->
                    all.allToAllRows(queue, three, new long[] {2, 2}, rank.tensor(DType.FP32, 3), new long[] {2, 2}));
            rejected(() -> all.allReduce(queue, integers, Reduction.SUM));
            rejected(() -> all.broadcast(queue, three, 2));
            rejected(() -> all.send(queue, three, rank.number()));
            rejected(() -> all.receive(queue, three, -1));
            all.barrier();
            return null;
        });
    }

    private static void rejected(Runnable action) {
        assertThrows(IllegalArgumentException.class, action::run);
    }

    @Clause(
            value = "A group of one rank is a real group: the full tensor is its shard, and it has no peer",
            remedy = "a fast path for one rank that omits the copy, the caller's queue or the checks")
    default void aGroupOfOneIsAGroup() {
        Ranks.of(this, Ranks.mesh(1, 1, 1), 40).run(rank -> {
            ProcessGroup group = rank.world().along(Axis.DATA);
            assertEquals(List.of(0, 1), List.of(group.rank(), group.size()));
            Tensor shard = rank.tensor(DType.FP32, 3, i -> i);
            Tensor whole = rank.tensor(DType.FP32, 3);
            group.allGather(rank.queue(), shard, whole).await();
            group.allReduce(rank.queue(), whole, Reduction.SUM).await();
            group.broadcast(rank.queue(), whole, 0).await();
            Tensor again = rank.tensor(DType.FP32, 3);
            group.reduceScatter(rank.queue(), whole, again).await();
            Tensor last = rank.tensor(DType.FP32, 3);
            group.allToAll(rank.queue(), again, last).await();
            Tensor rows = rank.tensor(DType.FP32, 3);
            group.allToAllRows(rank.queue(), last, new long[] {3}, rows, new long[] {3})
                    .await();
            group.barrier();
            assertArrayEquals(new double[] {0, 1, 2}, rank.values(rows));
            rejected(() -> group.allGather(rank.queue(), shard, rank.tensor(DType.FP32, 6)));
            assertThrows(CommunicationException.class, () -> group.send(rank.queue(), shard, 0));
            assertThrows(CommunicationException.class, () -> group.receive(rank.queue(), shard, 1));
            return null;
        });
    }

    @Clause(
            value =
                    "Collectives that a rank has begun complete although it closes; a closed rank disturbs only ranks that need it",
            remedy = "World.close(): must wait for pending collectives and not end the world of other ranks")
    default void leavingDisturbsNobody() {
        assertEquals(List.of(9.0, 9.0), Ranks.of(this, Ranks.mesh(2, 1, 1), 40).run(rank -> {
            Tensor x = rank.tensor(DType.FP32, 5, i -> i + rank.number());
            Thread.sleep(rank.number() * 200L);
            rank.all().allReduce(rank.queue(), x, Reduction.SUM);
            rank.world().close();
            return rank.values(x)[4];
        }));
        Ranks.of(this, Ranks.mesh(2, 1, 2), 40).run(rank -> {
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

    @Clause(
            value = "A closed world rejects collectives, and has released its memory",
            remedy = "World.close(): later collectives throw CommunicationException; close() releases the buffers")
    default void closedIsClosed() {
        Ranks.of(this, Ranks.mesh(1, 1, 3), 40).run(rank -> {
            ProcessGroup all = rank.all();
            ProcessGroup alone = rank.world().group(List.of(rank.number()));
            Tensor x = rank.tensor(DType.FP32, 100);
            Tensor part = rank.tensor(DType.FP32, 33);
            all.allReduce(rank.queue(), x, Reduction.SUM);
            all.reduceScatter(rank.queue(), x.rows(0, 99), part).await();
            rank.world().close();
            assertEquals(0, rank.bench().books().live(MemoryCategory.COMMUNICATION), "bytes of category COMMUNICATION");
            assertThrows(CommunicationException.class, all::barrier);
            assertThrows(CommunicationException.class, alone::barrier);
            return null;
        });
    }

    @Clause(value = "A fabric serves one run after another", remedy = "state that a closed world leaves in its fabric")
    default void oneRunFollowsTheOther() {
        var ranks = Ranks.of(this, Ranks.mesh(2, 1, 1), 40);
        for (int run = 0; run < 3; run++) {
            ranks.run(rank -> {
                rank.all().barrier();
                return null;
            });
        }
    }

    @Clause(
            value = "Ranks that wait for a rank that does not join learn which one it is, after the deadline",
            remedy =
                    "Fabric.connect(): a CommunicationException that names the missing ranks, as in 'ranks [1] did not join'")
    default void whoDoesNotJoinIsNamed() throws InterruptedException {
        FaultPrograms.withADeadline(seconds -> {
            List<Fabric> fabrics = fabrics(3, seconds);
            for (var world :
                    List.of(connect(fabrics, 0, Ranks.mesh(3, 1, 1)), connect(fabrics, 2, Ranks.mesh(3, 1, 1)))) {
                String message = failureOf(world).getMessage();
                assertTrue(message.contains("[1]"), message);
            }
        });
    }

    @Clause(
            value = "A rank that joins with another mesh is named, and no rank continues",
            remedy = "Fabric.connect(): ranks compare their meshes before they have joined")
    default void aRankWithAnotherMeshIsNamed() throws InterruptedException {
        List<Fabric> fabrics = fabrics(2, 40);
        var first = connect(fabrics, 0, Ranks.mesh(2, 1, 1));
        Thread.sleep(100);
        var other = connect(fabrics, 1, Ranks.mesh(1, 1, 2));
        for (var world : List.of(first, other)) {
            String message = failureOf(world).getMessage();
            assertTrue(message.contains("rank 1") && message.contains("mesh"), message);
        }
    }

    @Clause(
            value = "A rank outside the mesh is rejected",
            remedy = "Fabric.connect(): an IllegalArgumentException, immediately")
    default void rejectsUnknownRanks() {
        Fabric fabric = fabrics(2, 1).getFirst();
        assertThrows(IllegalArgumentException.class, () -> fabric.connect(2, Ranks.mesh(2, 1, 1), null));
    }

    private static CompletableFuture<World> connect(List<Fabric> fabrics, int rank, Mesh mesh) {
        return CompletableFuture.supplyAsync(
                () -> fabrics.get(rank).connect(rank, mesh, null),
                task -> Thread.ofPlatform().daemon().start(task));
    }

    private static Throwable failureOf(CompletableFuture<World> world) {
        Throwable failure = assertThrows(CompletionException.class, world::join, "it joined")
                .getCause();
        assertEquals(CommunicationException.class, failure.getClass());
        return failure;
    }
}
