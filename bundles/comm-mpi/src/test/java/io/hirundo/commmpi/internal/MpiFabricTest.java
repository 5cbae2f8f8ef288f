package io.hirundo.commmpi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How processes join, find their groups and leave. */
class MpiFabricTest {
  @Test
  void theRankIsWhatMpirunSays() {
    assertEquals(List.of(2), fabric(new Launched(2, 6), null).localRanks(Ranks.mesh(2, 1, 3)));
    assertEquals(new Launched(3, 8), Launched.of("3", "8"));
  }

  @Test
  void refusesProcessesThatAreNotTheRanksOfTheMesh() {
    var alone = fabric(Launched.of(null, null), null);
    var message = assertThrows(ConfigurationException.class, () -> alone.localRanks(Ranks.mesh(2, 1, 3))).getMessage();
    assertEquals(
        "mesh.fabric: mpi has one process per rank, and this one was not started by mpirun; start 'mpirun -n 6 hirundo train"
            + " ...', or give mesh.fabric=local",
        message);
    var four = fabric(new Launched(0, 4), null);
    message = assertThrows(ConfigurationException.class, () -> four.localRanks(Ranks.mesh(2, 1, 3))).getMessage();
    assertEquals(
        "mesh: its axes multiply to 6 ranks, but mpirun started 4 processes; start it with -n 6, or give the axes other sizes",
        message);
    assertThrows(IllegalArgumentException.class, () -> four.connect(1, Ranks.mesh(4, 1, 1), null));
  }

  @Test
  void aLibraryThatIsNotThereIsAConfigurationsFault() {
    var process = new MpiProcess();
    var failure = assertThrows(ConfigurationException.class, () -> process.world("libnothing.so.7"));
    assertTrue(failure.getMessage().startsWith("mesh.fabric.options.library: libnothing.so.7 cannot be loaded; install"));
    failure = assertThrows(ConfigurationException.class, () -> process.world("libc.so.6"));
    assertTrue(failure.getMessage().contains("it is not Open MPI"), failure.getMessage());
    process.close();
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
                  world.along(Axis.CONTEXT).ranks());
            });
    assertEquals(
        List.of(List.of(4, 5), List.of(5, 7), List.of(1, 5), List.of(0, 1, 4, 5), List.of(5)), groups.get(5));
  }

  /** Two ranks have several groups together, of which a third is in some alone. */
  @Test
  void groupsOfTheSameRanksAreApart() {
    var results =
        Ranks.run(
            Ranks.mesh(4, 1, 1),
            rank -> {
              var groups =
                  List.of(List.of(3, 0, 1), List.of(0, 1), List.of(1, 2), List.of(1, 0)).stream()
                      .filter(ranks -> ranks.contains(rank.number()))
                      .map(rank.world()::group)
                      .toList();
              var sum = new StringBuilder();
              // Against the order in which they were made.
              for (var group : groups.reversed()) {
                var shard = rank.tensor(DType.FP32, 1, i -> rank.number());
                var whole = rank.tensor(DType.FP32, group.size());
                group.allGather(rank.queue(), shard, whole).await();
                for (double value : Rank.values(whole)) {
                  sum.append((int) value);
                }
                sum.append(' ');
              }
              return sum.toString();
            });
    assertEquals(List.of("10 01 301 ", "10 12 01 301 ", "12 ", "301 "), results);
  }

  @Test
  void groupsInDifferentOrdersAreFound() {
    var outcomes =
        Ranks.outcomes(
            new MpiOptions(20, ""),
            Ranks.mesh(2, 1, 1),
            rank -> {
              var orders = List.of(List.of(0, 1), List.of(1, 0));
              var first = rank.world().group(rank.number() == 1 ? orders.getLast() : orders.getFirst());
              first.barrier();
              return null;
            });
    for (int rank = 0; rank < 2; rank++) {
      String message = outcomes.get(rank).failure().getMessage();
      assertTrue(message.endsWith("called, barrier; ranks asked for their groups in different orders"), message);
    }
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
  void whoDoesNotJoinIsNamed() {
    List<Wire> wires = MemoryWire.wires(3);
    for (var world : List.of(connect(wires, 0, Ranks.mesh(3, 1, 1)), connect(wires, 2, Ranks.mesh(3, 1, 1)))) {
      var failure = assertThrows(CompletionException.class, world::join).getCause();
      assertEquals(CommunicationException.class, failure.getClass());
      assertTrue(failure.getMessage().endsWith(" waited 1 s, but ranks [1] did not join"), failure.getMessage());
    }
  }

  @Test
  void aRankWithAnotherMeshIsNamed() {
    List<Wire> wires = MemoryWire.wires(3);
    var others = List.of(connect(wires, 0, Ranks.mesh(3, 1, 1)), connect(wires, 2, Ranks.mesh(3, 1, 1)));
    var one = connect(wires, 1, Ranks.mesh(1, 1, 3));
    for (var world : List.of(others.get(0), one, others.get(1))) {
      assertEquals(
          "rank 1: joined with the mesh {TENSOR=1, PIPELINE=1, DATA=3}, but rank 0 with {TENSOR=3, PIPELINE=1, DATA=1};"
              + " give all ranks the same configuration",
          assertThrows(CompletionException.class, world::join).getCause().getMessage());
    }
  }

  @Test
  void oneRunAfterTheOther() {
    List<Wire> wires = MemoryWire.wires(2);
    for (int run = 0; run < 2; run++) {
      var first = connect(wires, 0, Ranks.mesh(2, 1, 1));
      var second = connect(wires, 1, Ranks.mesh(2, 1, 1));
      var closing = CompletableFuture.runAsync(first.join()::close);
      second.join().close();
      closing.join();
      assertTrue(((MpiWorld) first.join()).hub().hasEndedWell());
    }
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
  }

  private static MpiFabric fabric(Launched launched, Wire wire) {
    return new MpiFabric(new MpiOptions(1, ""), launched, () -> wire, hub -> {});
  }

  private static CompletableFuture<World> connect(List<Wire> wires, int rank, Mesh mesh) {
    var fabric = fabric(new Launched(rank, wires.size()), wires.get(rank));
    return CompletableFuture.supplyAsync(
        () -> fabric.connect(rank, mesh, (Device) null), task -> Thread.ofPlatform().daemon().start(task));
  }
}
