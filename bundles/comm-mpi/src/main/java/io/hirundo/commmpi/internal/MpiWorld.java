package io.hirundo.commmpi.internal;

import io.hirundo.ConfigurationException;
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

/** This process's membership. A group is the same object each time it is asked for, so that its collectives are counted through. */
final class MpiWorld implements World {
  /** One for every choice of axes; groups by ranks have the numbers behind. */
  private static final int AXES_NUMBERS = 1 << Axis.values().length;

  private final Hub hub;
  private final Device device;
  /** By the axes, or by the list of ranks. */
  private final Map<Object, ProcessGroup> groups = new HashMap<>();
  /** How many groups by ranks this rank has together with another one. */
  private final Map<Integer, Integer> groupsWith = new HashMap<>();
  private boolean closed;

  MpiWorld(Hub hub, Device device) {
    this.hub = hub;
    this.device = device;
  }

  @Override
  public int rank() {
    return hub.rank();
  }

  @Override
  public Mesh mesh() {
    return hub.mesh();
  }

  @Override
  public ProcessGroup along(Axis... axes) {
    Set<Axis> along = EnumSet.noneOf(Axis.class);
    along.addAll(List.of(axes));
    return groups.computeIfAbsent(along, key -> of("along " + along, ranksAlong(along), numbersAlong(along)));
  }

  private List<Integer> ranksAlong(Set<Axis> along) {
    Mesh mesh = hub.mesh();
    return IntStream.range(0, mesh.ranks())
        .filter(
            other ->
                Arrays.stream(Axis.values())
                    .filter(axis -> !along.contains(axis))
                    .allMatch(axis -> mesh.coordinate(other, axis) == mesh.coordinate(rank(), axis)))
        .boxed()
        .toList();
  }

  /** The axes say which group it is, whoever asks for it first. */
  private Map<Integer, Integer> numbersAlong(Set<Axis> along) {
    int number = along.stream().mapToInt(axis -> 1 << axis.ordinal()).sum();
    var numbers = new HashMap<Integer, Integer>();
    IntStream.range(0, hub.mesh().ranks()).forEach(other -> numbers.put(other, number));
    return numbers;
  }

  @Override
  public ProcessGroup group(List<Integer> ranks) {
    boolean known = ranks.stream().allMatch(other -> other >= 0 && other < hub.mesh().ranks());
    if (!known || !ranks.contains(rank()) || Set.copyOf(ranks).size() != ranks.size()) {
      throw new IllegalArgumentException(
          "rank " + rank() + " cannot have a group of " + ranks + ": needed are different ranks of a world of "
              + hub.mesh().ranks() + ", this one among them");
    }
    return groups.computeIfAbsent(List.copyOf(ranks), key -> of("in a group", List.copyOf(ranks), nextNumbers(ranks)));
  }

  /** Any two ranks ask for the groups that both are in in the same order, so that both count the same. */
  private Map<Integer, Integer> nextNumbers(List<Integer> ranks) {
    var numbers = new HashMap<Integer, Integer>();
    for (int other : ranks) {
      int number = AXES_NUMBERS + groupsWith.merge(other, 1, Integer::sum) - 1;
      if (number > Circle.MAX_NUMBER) {
        throw new ConfigurationException(
            "mesh.fabric: mpi has no numbers for more than " + Circle.MAX_NUMBER + " groups of ranks " + rank() + " and "
                + other + "; give other sizes to the axes");
      }
      numbers.put(other, number);
    }
    return numbers;
  }

  private ProcessGroup of(String name, List<Integer> ranks, Map<Integer, Integer> numbers) {
    return ranks.size() == 1
        ? new SelfGroup(hub, rank(), name, device.kernels().elementwise())
        : new MpiGroup(hub, new Circle(name, ranks, numbers), device);
  }

  @Override
  public void abort(Throwable cause) {
    hub.end(End.failure(rank(), cause));
  }

  /** Ends what this rank has begun, and waits until all ranks have left. One that waits for this rank learns that it left. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    hub.leave();
    hub.underWay().forEach(Operation::settle);
    try {
      for (ProcessGroup group : groups.values()) {
        if (group instanceof MpiGroup shared) {
          shared.close();
        }
      }
      groups.clear();
    } finally {
      hub.part();
    }
  }

  Hub hub() {
    return hub;
  }
}
