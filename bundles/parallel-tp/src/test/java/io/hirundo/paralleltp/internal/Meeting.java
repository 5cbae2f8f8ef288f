package io.hirundo.paralleltp.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A group whose ranks are threads. As unkind as the contract allows: what a collective fills is not a number until somebody
 * waits for it, and what it reads must not have changed by then.
 */
final class Meeting {
  /** So that a rank's place in the group is not its number in the world. */
  static final int FIRST_WORLD_RANK = 16;

  private static final int DEADLINE_SECONDS = 30;

  private final int size;
  private final Map<Integer, Round> rounds = new ConcurrentHashMap<>();
  private final Map<List<Integer>, BlockingQueue<double[]>> mail = new ConcurrentHashMap<>();

  Meeting(int size) {
    this.size = size;
  }

  Member join(int rank, Device device) {
    return new Member(rank, device);
  }

  private static final class Round {
    private final String name;
    private final double[][] operands;
    private final CountDownLatch missing;

    Round(String name, int size) {
      this.name = name;
      this.operands = new double[size][];
      this.missing = new CountDownLatch(size);
    }
  }

  final class Member implements ProcessGroup {
    private final int rank;
    private final Device device;
    private int collectives;
    private int messages;
    private int open;

    private Member(int rank, Device device) {
      this.rank = rank;
      this.device = device;
    }

    /** Collectives and messages that nobody has waited for. */
    int open() {
      return open;
    }

    /** Collectives so far. */
    int collectives() {
      return collectives;
    }

    /** Sends so far. */
    int messages() {
      return messages;
    }

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public List<Integer> ranks() {
      return IntStream.range(0, size).mapToObj(member -> FIRST_WORLD_RANK + member).toList();
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
      return collective("all-reduce " + reduction, after, inPlace, inPlace, all -> combined(all, reduction, inPlace.dtype()));
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
      assertEquals(whole.elements(), size * shard.elements());
      return collective(
          "all-gather", after, shard, whole, all -> Arrays.stream(all).flatMapToDouble(Arrays::stream).toArray());
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
      assertEquals(whole.elements(), size * shard.elements());
      int count = Math.toIntExact(shard.elements());
      return collective(
          "reduce-scatter",
          after,
          whole,
          shard,
          all -> Arrays.copyOfRange(combined(all, Reduction.SUM, shard.dtype()), rank * count, (rank + 1) * count));
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
      messages++;
      double[] values = Values.read(device, after, tensor);
      box(rank, peer).add(values);
      return pending(() -> assertArrayEquals(values, Values.read(device, after, tensor), "a message was changed"));
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
      poison(after, tensor);
      return pending(
          () -> {
            double[] values = box(peer, rank).poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (values == null) {
              throw new AssertionError("nothing came from " + peer);
            }
            Values.write(device, after, values, tensor);
          });
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
      throw new AssertionError("not used here");
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
      throw new AssertionError("not used here");
    }

    @Override
    public void barrier() {
      throw new AssertionError("not used here");
    }

    private interface Combination {
      double[] of(double[][] operands);
    }

    private Pending collective(String kind, Queue after, Tensor from, Tensor to, Combination combination) {
      String name = kind + " of " + from.elements();
      Round round = rounds.computeIfAbsent(collectives++, number -> new Round(name, size));
      assertEquals(round.name, name, "ranks differ");
      double[] operand = Values.read(device, after, from);
      round.operands[rank] = operand;
      round.missing.countDown();
      poison(after, to);
      return pending(
          () -> {
            if (!round.missing.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
              throw new AssertionError("not all ranks came to " + name);
            }
            boolean isReduction = kind.startsWith("reduce");
            if (isReduction) {
              assertArrayEquals(operand, Values.read(device, after, from), "an operand of " + name + " was changed");
            }
            Values.write(device, after, combination.of(round.operands), to);
            if (!isReduction && from != to) {
              // May be a part of what was filled, and is then what it was.
              assertArrayEquals(operand, Values.read(device, after, from), "an operand of " + name + " was changed");
            }
          });
    }

    private void poison(Queue queue, Tensor tensor) {
      double[] values = new double[Math.toIntExact(tensor.elements())];
      Arrays.fill(values, Double.NaN);
      Values.write(device, queue, values, tensor);
    }

    private Pending pending(Completion completion) {
      open++;
      var event = new WaitedFor(completion, ended -> open--);
      return () -> event;
    }

    private BlockingQueue<double[]> box(int from, int to) {
      return mail.computeIfAbsent(List.of(from, to), key -> new LinkedBlockingQueue<>());
    }
  }

  private interface Completion {
    void complete() throws InterruptedException;
  }

  private static final class WaitedFor implements Event {
    private final Completion completion;
    private final Consumer<Event> onEnd;
    private boolean happened;

    WaitedFor(Completion completion, Consumer<Event> onEnd) {
      this.completion = completion;
      this.onEnd = onEnd;
    }

    @Override
    public boolean hasHappened() {
      return happened;
    }

    @Override
    public void await() {
      if (!happened) {
        happened = true;
        try {
          completion.complete();
        } catch (InterruptedException e) {
          throw new AssertionError("another rank failed", e);
        }
        onEnd.accept(this);
      }
    }
  }

  /** In rank order, rounded after each step. */
  private static double[] combined(double[][] operands, Reduction reduction, DType dtype) {
    double[] result = operands[0].clone();
    for (int rank = 1; rank < operands.length; rank++) {
      for (int i = 0; i < result.length; i++) {
        double other = operands[rank][i];
        double combined = reduction == Reduction.MAX ? Math.max(result[i], other) : result[i] + other;
        result[i] = dtype == DType.FP32 ? (float) combined : combined;
      }
    }
    return result;
  }
}
