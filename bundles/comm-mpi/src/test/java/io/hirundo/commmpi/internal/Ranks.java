package io.hirundo.commmpi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a program on every rank of a mesh, each on a thread of its own, and keeps what it returned or died of. */
final class Ranks {
  interface Program<T> {
    T run(Rank rank) throws Exception;
  }

  /**
   * How one rank ended.
   *
   * @param left what its closed world left behind; nothing, or {@link #outcomes} fails
   */
  record Outcome<T>(T value, Throwable failure, List<String> left) {}

  private Ranks() {}

  static Mesh mesh(int tensor, int pipeline, int data) {
    var sizes = new LinkedHashMap<Axis, Integer>();
    sizes.put(Axis.TENSOR, tensor);
    sizes.put(Axis.PIPELINE, pipeline);
    sizes.put(Axis.DATA, data);
    return new Mesh(sizes);
  }

  static ComputeBackend cpu() {
    return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
  }

  /** What all ranks returned; the first failure of any is thrown. */
  static <T> List<T> run(Mesh mesh, Program<T> program) {
    var values = new ArrayList<T>();
    for (Outcome<T> outcome : outcomes(new MpiOptions(20, ""), mesh, program)) {
      if (outcome.failure() != null) {
        throw new AssertionError(outcome.failure());
      }
      values.add(outcome.value());
    }
    return values;
  }

  static <T> List<Outcome<T>> outcomes(MpiOptions options, Mesh mesh, Program<T> program) {
    return outcomes(options, cpu(), mesh, true, program);
  }

  /**
   * @param aborts whether a rank that fails aborts its world, and not only closes it
   */
  static <T> List<Outcome<T>> outcomes(
      MpiOptions options, ComputeBackend backend, Mesh mesh, boolean aborts, Program<T> program) {
    List<Wire> wires = MemoryWire.wires(mesh.ranks());
    var running = new ArrayList<CompletableFuture<Outcome<T>>>();
    for (int rank = 0; rank < mesh.ranks(); rank++) {
      int own = rank;
      var fabric = new MpiFabric(options, new Launched(rank, mesh.ranks()), () -> wires.get(own), hub -> {});
      var outcome = new CompletableFuture<Outcome<T>>();
      running.add(outcome);
      Thread.ofPlatform()
          .name("rank " + rank)
          .daemon()
          .start(() -> outcome.complete(outcome(fabric, backend, own, mesh, aborts, program)));
    }
    var outcomes = running.stream().map(outcome -> outcome.orTimeout(60, TimeUnit.SECONDS).join()).toList();
    assertEquals(List.of(), outcomes.stream().flatMap(outcome -> outcome.left().stream()).toList(), "left behind");
    return outcomes;
  }

  private static <T> Outcome<T> outcome(
      Fabric fabric, ComputeBackend backend, int rank, Mesh mesh, boolean aborts, Program<T> program) {
    var ledger = new Ledger();
    T value = null;
    Throwable failure = null;
    var left = new ArrayList<String>();
    try (var device = backend.open(0, ledger);
        var queue = device.newQueue("compute")) {
      var world = (MpiWorld) fabric.connect(rank, mesh, device);
      try {
        value = program.run(new Rank(rank, world, device, queue, ledger));
      } catch (Throwable e) {
        failure = e;
        if (aborts) {
          world.abort(e);
        }
      }
      world.close();
      world.hub().threads().forEach(left::add);
      if (ledger.communicationBytes() != 0) {
        left.add("memory of rank " + rank);
      }
    } catch (Throwable e) {
      left.add("rank " + rank + " could not close: " + e);
    }
    return new Outcome<>(value, failure, left);
  }
}
