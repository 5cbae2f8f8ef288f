package io.hirundo.trainer.internal.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.End;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A fabric for devices that compute nothing: one rank joins alone, as if all ranks of the mesh were there. Its collectives complete at
 * once, with the memory and the work of the fabric {@code local}. Nothing has to arrive, because such a device has no values.
 */
public final class FakeFabric implements Fabric {
  @Override
  public List<Integer> localRanks(Mesh mesh) {
    return IntStream.range(0, mesh.ranks()).boxed().toList();
  }

  /** Does not wait for other ranks. */
  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    if (device.computes()) {
      throw new IllegalArgumentException("device " + device.info().name() + " computes, and the other ranks' values are not there");
    }
    return new FakeWorld(new Host(), mesh, rank, device);
  }

  private static final class FakeWorld extends LaneWorld {
    private final Host host;
    private final Device device;

    FakeWorld(Host host, Mesh mesh, int rank, Device device) {
      super(host, mesh, rank, device);
      this.host = host;
      this.device = device;
    }

    @Override
    public LaneGroup newGroup(GroupName name, Set<Axis> along) {
      return newGroup(name);
    }

    @Override
    public LaneGroup newGroup(GroupName name) {
      return new FakeGroup(host, name, rank(), device);
    }

    @Override
    public void close() {
      closeGroups();
    }
  }

  /** No lane gets work, so only an abort matters. */
  private static final class Host implements LaneHost {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile End end;

    @Override
    public ReentrantLock lock() {
      return lock;
    }

    @Override
    public boolean hasEnded() {
      return end != null;
    }

    @Override
    public void requireAlive(int rank, Supplier<String> what) {
      if (end != null) {
        throw new CommunicationException("rank " + rank + ": " + what.get() + " was ended: " + end.reason(), end.cause());
      }
    }

    @Override
    public void end(End why) {
      // Only the first call counts.
      end = end == null ? why : end;
    }

    @Override
    public void started(Lane lane) {}

    @Override
    public void ended(Lane lane) {}

    /** Nobody waits. */
    @Override
    public int timeoutSeconds() {
      return 1;
    }
  }
}
