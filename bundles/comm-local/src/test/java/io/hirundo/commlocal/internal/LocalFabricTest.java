package io.hirundo.commlocal.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How ranks join, find their groups and leave. */
class LocalFabricTest {
  private final Fabric fabric = new LocalFactory().create(new LocalOptions(1, null));

  @Test
  void allRanksLiveHere() {
    assertEquals(List.of(0, 1, 2, 3, 4, 5), fabric.localRanks(Ranks.mesh(2, 1, 3)));
  }

  @Test
  void theFirstAxisVariesFastest() {
    var groups =
        Ranks.run(
            Ranks.mesh(2, 2, 2),
            rank -> {
              World world = rank.world();
              assertEquals(rank.number(), world.rank());
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
        List.of(List.of(4, 5), List.of(5, 7), List.of(1, 5), List.of(0, 1, 4, 5), List.of(5), List.of(2)), groups.get(5));
  }

  @Test
  void aGroupMayHaveAnyRanksInAnyOrder() {
    var results =
        Ranks.run(
            Ranks.mesh(4, 1, 1),
            rank -> {
              if (rank.number() == 2) {
                return List.of();
              }
              var group = rank.world().group(List.of(3, 0, 1));
              var shard = rank.tensor(DType.FP32, 1, i -> rank.number());
              var whole = rank.tensor(DType.FP32, 3);
              group.allGather(rank.queue(), shard, whole).await();
              return List.of(group.rank(), whole.shape().dim(0), List.of(Rank.values(whole)[0], Rank.values(whole)[2]));
            });
    assertEquals(List.of(1, 3L, List.of(3.0, 1.0)), results.get(0));
    assertEquals(List.of(), results.get(2));
  }

  @Test
  void refusesGroupsThatCannotBe() {
    Ranks.run(
        Ranks.mesh(2, 1, 1),
        rank -> {
          for (List<Integer> ranks : List.of(List.of(1 - rank.number()), List.of(0, 1, 1), List.of(0, 1, 2))) {
            assertThrows(IllegalArgumentException.class, () -> rank.world().group(ranks));
          }
          return null;
        });
  }

  @Test
  void refusesOperandsThatDoNotFitBeforeOthersHearOfThem() {
    Ranks.run(
        Ranks.mesh(2, 1, 1),
        rank -> {
          var all = rank.all();
          var three = rank.tensor(DType.FP32, 3);
          var four = rank.tensor(DType.FP32, 4);
          var integers = rank.tensor(DType.INT32, 4);
          var queue = rank.queue();
          assertThrows(IllegalArgumentException.class, () -> all.allGather(queue, three, four));
          assertThrows(IllegalArgumentException.class, () -> all.reduceScatter(queue, four, three));
          assertThrows(IllegalArgumentException.class, () -> all.allToAll(queue, three, rank.tensor(DType.FP32, 3)));
          assertThrows(IllegalArgumentException.class, () -> all.allToAll(queue, four, four));
          assertThrows(IllegalArgumentException.class, () -> all.allReduce(queue, integers, Reduction.SUM));
          assertThrows(IllegalArgumentException.class, () -> all.broadcast(queue, three, 2));
          assertThrows(IllegalArgumentException.class, () -> all.send(queue, three, rank.number()));
          assertThrows(IllegalArgumentException.class, () -> all.receive(queue, three, -1));
          all.barrier();
          return null;
        });
  }

  @Test
  void whoDoesNotJoinIsNamed() {
    var joining = List.of(connect(0, Ranks.mesh(3, 1, 1)), connect(2, Ranks.mesh(3, 1, 1)));
    for (var world : joining) {
      var failure = assertThrows(CompletionException.class, world::join).getCause();
      assertEquals(CommunicationException.class, failure.getClass());
      assertEquals(true, failure.getMessage().endsWith(" waited 1 s, but ranks [1] did not join"), failure.getMessage());
    }
  }

  @Test
  void aRankWithAnotherMeshIsNamed() throws InterruptedException {
    var first = connect(0, Ranks.mesh(3, 1, 1));
    Thread.sleep(100);
    var other = assertThrows(CommunicationException.class, () -> fabric.connect(1, Ranks.mesh(1, 1, 3), null));
    assertEquals(
        "rank 1: joined with the mesh {TENSOR=1, PIPELINE=1, DATA=3}, but the ranks before it with"
            + " {TENSOR=3, PIPELINE=1, DATA=1}; give all ranks the same configuration",
        other.getMessage());
    var failure = assertThrows(CompletionException.class, first::join).getCause();
    assertEquals(true, failure.getMessage().contains("rank 1 joined with the mesh"), failure.getMessage());
  }

  @Test
  void aRankThatIsInterruptedWhileItJoinsEndsTheWorldOfTheOthers() throws InterruptedException {
    var patient = new LocalFactory().create(new LocalOptions(60, null));
    var messages = new ArrayList<String>();
    var threads = new ArrayList<Thread>();
    for (int rank = 0; rank < 2; rank++) {
      int own = rank;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    var e = assertThrows(CommunicationException.class, () -> patient.connect(own, Ranks.mesh(3, 1, 1), null));
                    synchronized (messages) {
                      messages.add(e.getMessage());
                    }
                  }));
    }
    Thread.sleep(200);
    threads.get(1).interrupt();
    for (Thread thread : threads) {
      thread.join(5000);
    }
    assertEquals(2, messages.size());
    messages.forEach(
        message ->
            assertEquals(
                true, message.endsWith("rank 1 was interrupted while ranks [2] had not joined"), message));
  }

  @Test
  void oneFabricServesOneRunAfterTheOther() {
    for (int run = 0; run < 2; run++) {
      var first = connect(0, Ranks.mesh(2, 1, 1));
      var second = connect(1, Ranks.mesh(2, 1, 1));
      first.join().close();
      second.join().close();
    }
  }

  @Test
  void refusesARankThatIsNot() {
    assertThrows(IllegalArgumentException.class, () -> fabric.connect(2, Ranks.mesh(2, 1, 1), null));
  }

  @Test
  void whatARankHasBegunEndsAlthoughItLeaves() {
    var results =
        Ranks.run(
            Ranks.mesh(2, 1, 1),
            rank -> {
              var x = rank.tensor(DType.FP32, 5, i -> i + rank.number());
              if (rank.number() == 1) {
                Thread.sleep(200);
              }
              rank.all().allReduce(rank.queue(), x, Reduction.SUM);
              rank.world().close();
              return Rank.values(x)[4];
            });
    assertEquals(List.of(9.0, 9.0), results);
    assertNull(new LocalOptions().link());
  }

  private CompletableFuture<World> connect(int rank, Mesh mesh) {
    return CompletableFuture.supplyAsync(
        () -> fabric.connect(rank, mesh, (Device) null), task -> Thread.ofPlatform().daemon().start(task));
  }
}
