package io.hirundo.testkit.trial;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Ranks that know their place in the mesh, and cannot communicate. */
public final class SilentFabric implements Fabric {
  @Override
  public List<Integer> localRanks(Mesh mesh) {
    return IntStream.range(0, mesh.ranks()).boxed().toList();
  }

  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    return new SilentWorld(rank, mesh);
  }

  private record SilentWorld(int rank, Mesh mesh) implements World {
    @Override
    public ProcessGroup along(Axis... axes) {
      Set<Axis> along = EnumSet.noneOf(Axis.class);
      along.addAll(Arrays.asList(axes));
      return group(mesh.ranksAlong(rank, along));
    }

    @Override
    public ProcessGroup group(List<Integer> ranks) {
      return new SilentGroup(ranks.indexOf(rank), ranks);
    }

    @Override
    public void abort(Throwable cause) {}

    @Override
    public void close() {}
  }

  private record SilentGroup(int rank, List<Integer> ranks) implements ProcessGroup {
    private static UnsupportedOperationException silent() {
      return new UnsupportedOperationException("the layer communicates; let fabric() return one whose ranks are threads, comm-local's for instance");
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
      throw silent();
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
      throw silent();
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
      throw silent();
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
      throw silent();
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
      throw silent();
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
      throw silent();
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
      throw silent();
    }

    @Override
    public void barrier() {
      throw silent();
    }
  }
}
