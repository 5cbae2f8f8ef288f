package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpointdcp.internal.HostDevice.HostTensor;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Ranks as threads, who can wait for each other, pass bytes and gather them, and nothing else. */
record ThreadWorld(int rank, List<Integer> ranks, CyclicBarrier everybody, Map<String, BlockingQueue<byte[]>> posted)
    implements World, ProcessGroup {
  private static final Pending DONE = pending(() -> {});

  static ThreadWorld alone() {
    return new ThreadWorld(0, List.of(0), new CyclicBarrier(1), new ConcurrentHashMap<>());
  }

  /** What each rank returned, in order; the first failure of any is thrown. */
  static <T> List<T> run(int ranks, Function<World, T> program) {
    var everybody = new CyclicBarrier(ranks);
    var posted = new ConcurrentHashMap<String, BlockingQueue<byte[]>>();
    var everyone = IntStream.range(0, ranks).boxed().toList();
    try (var threads = Executors.newFixedThreadPool(ranks)) {
      var running = new ArrayList<Future<T>>();
      for (int rank = 0; rank < ranks; rank++) {
        var world = new ThreadWorld(rank, everyone, everybody, posted);
        running.add(threads.submit(() -> program.apply(world)));
      }
      var results = new ArrayList<T>();
      for (Future<T> result : running) {
        results.add(result.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Mesh mesh() {
    var sizes = new LinkedHashMap<Axis, Integer>();
    sizes.put(Axis.DATA, ranks.size());
    return new Mesh(sizes);
  }

  @Override
  public ProcessGroup along(Axis... axes) {
    return this;
  }

  @Override
  public ProcessGroup group(List<Integer> ranks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void barrier() {
    try {
      everybody.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException("a rank did not come", e);
    }
  }

  @Override
  public void abort(Throwable cause) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Pending allGather(Queue after, Tensor shard, Tensor whole) {
    for (int other : ranks) {
      post("gathered", other, shard);
    }
    for (int other : ranks) {
      fetch("gathered", other, whole.view(other * shard.elements(), shard.shape()));
    }
    return DONE;
  }

  @Override
  public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
    throw new UnsupportedOperationException();
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
    post("sent", peer, tensor);
    return DONE;
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    return pending(() -> fetch("sent", peer, tensor));
  }

  private static Pending pending(Runnable work) {
    return new Pending() {
      @Override
      public Event event() {
        return Event.PAST;
      }

      @Override
      public void await() {
        work.run();
      }
    };
  }

  private BlockingQueue<byte[]> line(String kind, int from, int to) {
    return posted.computeIfAbsent(kind + " from " + from + " to " + to, _ -> new LinkedBlockingQueue<>());
  }

  private void post(String kind, int to, Tensor tensor) {
    line(kind, rank, to).add(((HostTensor) tensor).bytes().toArray(ValueLayout.JAVA_BYTE));
  }

  private void fetch(String kind, int from, Tensor into) {
    try {
      byte[] bytes = line(kind, from, rank).poll(30, TimeUnit.SECONDS);
      if (bytes == null || bytes.length != into.byteSize()) {
        throw new IllegalStateException("rank " + rank + " waits for what rank " + from + " does not pass");
      }
      ((HostTensor) into).bytes().copyFrom(MemorySegment.ofArray(bytes));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {}
}
