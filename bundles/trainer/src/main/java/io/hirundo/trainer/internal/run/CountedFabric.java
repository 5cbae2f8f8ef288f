package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One rank's fabric that books every message of a group of more than one, with the bytes of its larger operand. */
final class CountedFabric implements Fabric {
  /** What messages are booked under, before the collective's name and the axes. */
  static final String PREFIX = "message.";

  private final Fabric fabric;
  private final Books books;

  /** {@code ledger}: of the rank. */
  CountedFabric(Fabric fabric, DeviceLedger ledger) {
    this(fabric, ledger, message -> {});
  }

  /** {@code begun}: told of every message. */
  CountedFabric(Fabric fabric, DeviceLedger ledger, Consumer<Pending> begun) {
    this.fabric = fabric;
    this.books = new Books(ledger, begun);
  }

  /** By collective and axes: what was booked as messages. */
  static Map<String, AccountedLedger.Work> messages(Map<String, AccountedLedger.Work> work) {
    var messages = new LinkedHashMap<String, AccountedLedger.Work>();
    work.forEach(
        (name, each) -> {
          if (name.startsWith(PREFIX)) {
            messages.put(name.substring(PREFIX.length()), each);
          }
        });
    return messages;
  }

  @Override
  public List<Integer> localRanks(Mesh mesh) {
    return fabric.localRanks(mesh);
  }

  @Override
  public World connect(int rank, Mesh mesh, Device device) {
    return new CountedWorld(fabric.connect(rank, mesh, device), books, new HashMap<>());
  }

  /** Whether a message has had 8-bit codes in it. */
  boolean hasSentCodes() {
    return books.codes;
  }

  private static final class Books {
    private final DeviceLedger ledger;
    private final Consumer<Pending> begun;
    private boolean codes;

    Books(DeviceLedger ledger, Consumer<Pending> begun) {
      this.ledger = ledger;
      this.begun = begun;
    }

    Pending begun(String name, Tensor operand, Pending message) {
      ledger.work(PREFIX + name, 0, operand.byteSize());
      codes |= operand.dtype().isFloating() && !operand.dtype().isArithmetic();
      begun.accept(message);
      return message;
    }
  }

  private record CountedWorld(World world, Books books, Map<ProcessGroup, ProcessGroup> counted) implements World {
    @Override
    public int rank() {
      return world.rank();
    }

    @Override
    public Mesh mesh() {
      return world.mesh();
    }

    @Override
    public ProcessGroup along(Axis... axes) {
      String name = Arrays.stream(axes).map(axis -> axis.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining("+"));
      return counted(world.along(axes), axes.length == Axis.values().length ? "all" : name);
    }

    @Override
    public ProcessGroup group(List<Integer> ranks) {
      return counted(world.group(ranks), "shared weights");
    }

    private ProcessGroup counted(ProcessGroup group, String name) {
      return counted.computeIfAbsent(
          group, plain -> plain.size() == 1 ? plain : new CountedGroup(plain, name, books));
    }

    @Override
    public void abort(Throwable cause) {
      world.abort(cause);
    }

    @Override
    public void close() {
      world.close();
    }
  }

  private record CountedGroup(ProcessGroup group, String name, Books books) implements ProcessGroup {
    @Override
    public int rank() {
      return group.rank();
    }

    @Override
    public List<Integer> ranks() {
      return group.ranks();
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
      return books.begun("all-reduce " + name, inPlace, group.allReduce(after, inPlace, reduction));
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
      return books.begun("all-gather " + name, whole, group.allGather(after, shard, whole));
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
      return books.begun("reduce-scatter " + name, whole, group.reduceScatter(after, whole, shard));
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
      return books.begun("broadcast " + name, inPlace, group.broadcast(after, inPlace, root));
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
      return books.begun("all-to-all " + name, from, group.allToAll(after, from, to));
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
      return books.begun("send " + name, tensor, group.send(after, tensor, peer));
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
      return books.begun("receive " + name, tensor, group.receive(after, tensor, peer));
    }

    @Override
    public void barrier() {
      group.barrier();
    }
  }
}
