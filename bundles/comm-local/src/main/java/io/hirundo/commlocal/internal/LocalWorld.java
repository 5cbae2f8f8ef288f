package io.hirundo.commlocal.internal;

import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** One rank's membership. A group is the same object each time, so that its collectives are counted through. */
final class LocalWorld implements World {
  private final int rank;
  private final Hub hub;
  private final Device device;
  /** By the axes, or by the list of ranks. */
  private final Map<Object, ProcessGroup> groups = new HashMap<>();

  LocalWorld(int rank, Hub hub, Device device) {
    this.rank = rank;
    this.hub = hub;
    this.device = device;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public Mesh mesh() {
    return hub.mesh();
  }

  @Override
  public ProcessGroup along(Axis... axes) {
    Set<Axis> along = EnumSet.noneOf(Axis.class);
    along.addAll(List.of(axes));
    return groups.computeIfAbsent(along, key -> of("along " + along, ranksAlong(along)));
  }

  private List<Integer> ranksAlong(Set<Axis> along) {
    Mesh mesh = hub.mesh();
    return IntStream.range(0, mesh.ranks())
        .filter(
            other ->
                Arrays.stream(Axis.values())
                    .filter(axis -> !along.contains(axis))
                    .allMatch(axis -> mesh.coordinate(other, axis) == mesh.coordinate(rank, axis)))
        .boxed()
        .toList();
  }

  @Override
  public ProcessGroup group(List<Integer> ranks) {
    boolean known = ranks.stream().allMatch(other -> other >= 0 && other < hub.mesh().ranks());
    if (!known || !ranks.contains(rank) || Set.copyOf(ranks).size() != ranks.size()) {
      throw new IllegalArgumentException(
          "rank " + rank + " cannot have a group of " + ranks + ": needed are different ranks of a world of "
              + hub.mesh().ranks() + ", this one among them");
    }
    return groups.computeIfAbsent(List.copyOf(ranks), key -> of("in a group", List.copyOf(ranks)));
  }

  private ProcessGroup of(String name, List<Integer> ranks) {
    return ranks.size() == 1
        ? new SelfGroup(hub, rank, name, device.kernels().elementwise())
        : new LocalGroup(hub, hub.circle(name, ranks), rank, device);
  }

  @Override
  public void abort(Throwable cause) {
    hub.end(End.failure(rank, cause));
  }

  /**
   * Leaves, and waits for what this rank has begun, because others read its operands until then. A rank that waits for a
   * collective which this one has not begun learns of it at once.
   */
  @Override
  public void close() {
    hub.leave(rank);
    hub.begunBy(rank).forEach(meeting -> meeting.settleFor(rank));
    for (ProcessGroup group : groups.values()) {
      if (group instanceof LocalGroup shared) {
        shared.close();
      }
    }
    groups.clear();
  }

  Hub hub() {
    return hub;
  }
}
