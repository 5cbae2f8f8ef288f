package io.hirundo.commlocal.internal;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** One rank's membership. A group is the same object each time it is asked for, so that its collectives are counted through. */
final class LocalWorld implements World {
  private final int rank;
  private final Mesh mesh;
  private final Device device;
  private final Map<Set<Axis>, ProcessGroup> groups = new HashMap<>();
  private final AtomicReference<Throwable> end = new AtomicReference<>();

  LocalWorld(int rank, Mesh mesh, Device device) {
    this.rank = rank;
    this.mesh = mesh;
    this.device = device;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public Mesh mesh() {
    return mesh;
  }

  @Override
  public ProcessGroup along(Axis... axes) {
    Set<Axis> key = EnumSet.noneOf(Axis.class);
    key.addAll(List.of(axes));
    return groups.computeIfAbsent(key, along -> new SelfGroup(this, along.toString(), device.kernels().elementwise()));
  }

  @Override
  public ProcessGroup group(List<Integer> ranks) {
    if (!ranks.equals(List.of(rank))) {
      throw new IllegalArgumentException("a group of " + ranks + " in a world of one rank");
    }
    return along();
  }

  @Override
  public void abort(Throwable cause) {
    end.compareAndSet(null, cause);
  }

  @Override
  public void close() {
    abort(new IllegalStateException("the world was closed"));
  }

  /** Fails once the world has ended. */
  void requireAlive(String collective) {
    Throwable cause = end.get();
    if (cause != null) {
      throw new CommunicationException("rank " + rank + ": " + collective + " was ended: " + cause.getMessage(), cause);
    }
  }
}
