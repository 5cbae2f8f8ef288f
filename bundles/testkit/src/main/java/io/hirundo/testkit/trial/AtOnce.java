package io.hirundo.testkit.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;

/** Calls on several threads that begin together. */
public final class AtOnce {
  private AtOnce() {}

  /**
   * Runs the work on each of so many threads and waits for all.
   *
   * @param work receives the number of its thread, from 0
   * @throws AssertionError the first failure, if any thread fails
   */
  public static void run(int threads, IntConsumer work) {
    var begin = new CountDownLatch(threads);
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      var task =
          new FutureTask<Void>(
              () -> {
                begin.countDown();
                begin.await();
                work.accept(number);
                return null;
              });
      tasks.add(task);
      Thread.ofPlatform().daemon().start(task);
    }
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof AssertionError failed ? failed : new AssertionError(e.getCause().toString(), e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
  }
}
