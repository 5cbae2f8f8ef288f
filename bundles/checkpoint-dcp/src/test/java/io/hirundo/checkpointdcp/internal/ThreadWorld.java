package io.hirundo.checkpointdcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Ranks as threads, who can wait for each other and nothing else. */
record ThreadWorld(int rank, List<Integer> ranks, CyclicBarrier everybody) implements World, ProcessGroup {
  static ThreadWorld alone() {
    return new ThreadWorld(0, List.of(0), new CyclicBarrier(1));
  }

  /** What each rank returned, in order; the first failure of any is thrown. */
  static <T> List<T> run(int ranks, Function<World, T> program) {
    var everybody = new CyclicBarrier(ranks);
    var everyone = IntStream.range(0, ranks).boxed().toList();
    try (var threads = Executors.newFixedThreadPool(ranks)) {
      var running = new ArrayList<Future<T>>();
      for (int rank = 0; rank < ranks; rank++) {
        var world = new ThreadWorld(rank, everyone, everybody);
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
    throw new UnsupportedOperationException();
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
    throw new UnsupportedOperationException();
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
