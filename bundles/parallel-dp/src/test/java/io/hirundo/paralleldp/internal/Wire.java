package io.hirundo.paralleldp.internal;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * A process group that computes with plain loops, as late as it may: a collective runs a while after the last rank has joined
 * it, on a thread of its own, so that whoever does not wait for its end reads the old values.
 */
final class Wire implements Network {
  private static final long DELAY_MILLIS = 2;

  private final int ranks;
  private final List<Exchange> exchanges = new ArrayList<>();
  private final ExecutorService line = Executors.newSingleThreadExecutor();
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  Wire(int ranks) {
    this.ranks = ranks;
  }

  @Override
  public Place join(int rank, Device device) {
    return new Group(rank);
  }

  int ranks() {
    return ranks;
  }

  /** Names and sizes of all collectives, in their order. */
  synchronized List<String> log() {
    return exchanges.stream().map(exchange -> exchange.what).toList();
  }

  /** Collectives that a rank has begun. */
  int joined(ProcessGroup group) {
    return ((Group) group).next;
  }

  @Override
  public void abort(Throwable cause) {
    end.completeExceptionally(cause);
  }

  @Override
  public Throwable cause(Throwable otherwise) {
    return end.isCompletedExceptionally() ? end.exceptionNow() : otherwise;
  }

  @Override
  public void close() {
    line.close();
  }

  private synchronized Pending join(int rank, int number, String what, Tensor from, Tensor to) {
    if (number == exchanges.size()) {
      exchanges.add(new Exchange(what));
    }
    Exchange exchange = exchanges.get(number);
    if (!exchange.what.equals(what)) {
      throw new CommunicationException("rank " + rank + " has " + what + " where another has " + exchange.what);
    }
    exchange.from[rank] = (CpuTensor) from;
    exchange.to[rank] = (CpuTensor) to;
    if (++exchange.joined == ranks) {
      line.execute(exchange);
    }
    return () -> exchange;
  }

  private final class Exchange implements Event, Runnable {
    private final String what;
    private final CpuTensor[] from = new CpuTensor[ranks];
    private final CpuTensor[] to = new CpuTensor[ranks];
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int joined;

    Exchange(String what) {
      this.what = what;
    }

    @Override
    public void run() {
      try {
        TimeUnit.MILLISECONDS.sleep(DELAY_MILLIS);
        if (what.startsWith("all-gather")) {
          for (int source = 0; source < ranks; source++) {
            for (CpuTensor whole : to) {
              copy(from[source], whole, source * from[source].elements());
            }
          }
        } else {
          double[] sums = sums();
          boolean scatter = what.startsWith("reduce-scatter");
          for (int rank = 0; rank < ranks; rank++) {
            long first = scatter ? rank * to[rank].elements() : 0;
            for (int i = 0; i < to[rank].elements(); i++) {
              to[rank].setDouble(i, sums[(int) first + i]);
            }
          }
        }
        done.complete(null);
      } catch (InterruptedException | RuntimeException e) {
        done.completeExceptionally(e);
      }
    }

    private static void copy(CpuTensor shard, CpuTensor whole, long first) {
      for (long i = 0; i < shard.elements(); i++) {
        whole.setDouble(first + i, shard.getDouble(i));
      }
    }

    private double[] sums() {
      return IntStream.range(0, (int) from[0].elements())
          .mapToDouble(i -> IntStream.range(0, ranks).mapToDouble(rank -> from[rank].getDouble(i)).sum())
          .toArray();
    }

    @Override
    public boolean hasHappened() {
      return done.isDone();
    }

    @Override
    public void await() {
      try {
        CompletableFuture.anyOf(done, end).get(10, TimeUnit.SECONDS);
      } catch (ExecutionException | InterruptedException | TimeoutException e) {
        throw new CommunicationException(what + " did not end: " + e, e);
      }
    }
  }

  private final class Group implements ProcessGroup, Place {
    private final int rank;
    private int next;

    Group(int rank) {
      this.rank = rank;
    }

    @Override
    public ProcessGroup group() {
      return this;
    }

    @Override
    public void close() {}

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public List<Integer> ranks() {
      return IntStream.range(0, ranks).boxed().toList();
    }

    @Override
    public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
      return join(rank, next++, "all-reduce " + inPlace.elements(), inPlace, inPlace);
    }

    @Override
    public Pending allGather(Queue after, Tensor shard, Tensor whole) {
      return join(rank, next++, "all-gather " + whole.elements(), shard, whole);
    }

    @Override
    public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
      return join(rank, next++, "reduce-scatter " + whole.elements(), whole, shard);
    }

    @Override
    public Pending broadcast(Queue after, Tensor inPlace, int root) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Pending allToAll(Queue after, Tensor from, Tensor to) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Pending send(Queue after, Tensor tensor, int peer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Pending receive(Queue after, Tensor tensor, int peer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void barrier() {
      throw new UnsupportedOperationException();
    }
  }
}
