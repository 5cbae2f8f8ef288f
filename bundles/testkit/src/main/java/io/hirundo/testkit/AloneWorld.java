package io.hirundo.testkit;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.lib.fabric.End;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneGroup;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.lib.fabric.LaneWorld;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The world of one rank. */
final class AloneWorld extends LaneWorld {
  AloneWorld(Device device) {
    super(new Host(), Mesh.ALONE, 0, device);
  }

  @Override
  public LaneGroup newGroup(GroupName name, Set<Axis> along) {
    throw new IllegalStateException("one rank has no other");
  }

  @Override
  public LaneGroup newGroup(GroupName name) {
    throw new IllegalStateException("one rank has no other");
  }

  @Override
  public void close() {
    closeGroups();
  }

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
        throw new CommunicationException("rank 0: " + what.get() + " was ended: " + end.reason(), end.cause());
      }
    }

    @Override
    public void end(End why) {
      end = why;
    }

    @Override
    public void started(Lane lane) {}

    @Override
    public void ended(Lane lane) {}

    @Override
    public int timeoutSeconds() {
      return 20;
    }
  }
}
