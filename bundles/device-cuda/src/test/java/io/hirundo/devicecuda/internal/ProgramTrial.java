package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.RandomProgram.Deed;
import io.hirundo.devicecuda.internal.RandomProgram.Kind;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Books;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A device that does what is drawn, beside arrays of the host with which the same is done. Belongs to one thread. */
final class ProgramTrial implements AutoCloseable {
  private static final List<Integer> SIZES = List.of(100, 200, 1000);

  /** A tensor, what it should be, and the end of another queue's work with it. */
  private static final class Held {
    final Tensor tensor;
    final float[] values;
    boolean isWritten;
    /** Null where nobody else works with it. */
    Future<Event> lent;

    Held(Tensor tensor) {
      this.tensor = tensor;
      this.values = new float[(int) tensor.elements()];
    }
  }

  private final Random random;
  private final Device device;
  private final ElementwiseKernels kernels;
  private final Queue queue;
  private final Queue otherQueue;
  /** The other queue's. */
  private final ExecutorService otherThread = Executors.newSingleThreadExecutor();

  /** That are there; the first, one of each size, always. */
  private final List<Held> tensors = new ArrayList<>();
  private final Held[] sums = new Held[SIZES.size()];
  private int launches;

  ProgramTrial(ComputeBackend backend, Random random) {
    this.random = random;
    device = backend.open(0, new Books());
    kernels = device.kernels().elementwise();
    queue = device.newQueue("queue");
    otherQueue = device.newQueue("other");
    for (int size = 0; size < SIZES.size(); size++) {
      tensors.add(take(size));
      sums[size] = take(size);
    }
  }

  private Held take(int size) {
    return new Held(device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(SIZES.get(size)), DType.FP32));
  }

  /** Some work, one time; {@code name} null where nobody says that it comes again. */
  void once(String name, RandomProgram program, boolean isTidy) throws InterruptedException {
    for (int size = 0; size < SIZES.size(); size++) {
      Held sum = sums[size];
      elsewhere(() -> kernels.fill(otherQueue, sum.tensor, 0));
      launches++;
      Arrays.fill(sum.values, 0);
      upload(tensors.get(size));
    }
    if (name == null) {
      all(program, isTidy);
    } else {
      try (var _ = queue.repetition(name)) {
        all(program, isTidy);
      }
    }
    check();
  }

  /** As {@link #once}, and holds what a timer says against what was launched. */
  void onceTimed(String name, RandomProgram program) throws InterruptedException {
    for (Held held : tensors) {
      join(held);
    }
    launches = 0;
    try (KernelTimer timer = device.timeKernels().orElseThrow()) {
      once(name, program, true);
      assertEquals(launches, timer.times().kernels().stream().mapToLong(KernelTime::launches).sum(), "kernels that were timed");
    }
  }

  private void all(RandomProgram program, boolean isTidy) throws InterruptedException {
    for (Deed deed : program.deeds()) {
      if (!deed.isLeftOut(random)) {
        perform(deed);
      }
    }
    while (isTidy && tensors.size() > SIZES.size()) {
      close(tensors.removeLast());
    }
  }

  private void perform(Deed deed) throws InterruptedException {
    Held held = tensors.get(deed.tensor() % tensors.size());
    switch (deed.kind()) {
      case TAKE -> tensors.add(take(deed.number() % SIZES.size()));
      case CLOSE, CLOSE_ELSEWHERE -> {
        int further = tensors.size() - SIZES.size();
        if (further > 0) {
          Held closed = tensors.remove(SIZES.size() + deed.tensor() % further);
          join(closed);
          if (deed.kind() == Kind.CLOSE) {
            closed.tensor.close();
          } else {
            elsewhere(closed.tensor::close);
          }
        }
      }
      case UPLOAD -> upload(held);
      case RECORD -> queue.record();
      case DRAIN -> queue.drain();
      default -> {
        if (held.isWritten && deed.kind() != Kind.FILL && deed.kind() != Kind.FILL_ANEW) {
          use(held, deed);
        } else {
          fill(held, deed.kind() == Kind.FILL_ANEW ? random.nextInt(100) : deed.number());
        }
      }
    }
  }

  private void fill(Held held, int value) throws InterruptedException {
    beforeWriting(held);
    kernels.fill(queue, held.tensor, value);
    launches++;
    Arrays.fill(held.values, value);
  }

  private void use(Held held, Deed deed) throws InterruptedException {
    switch (deed.kind()) {
      case COPY -> merge(held, fitting(held, deed, false), true);
      case ADD -> merge(held, fitting(held, deed, true), false);
      case SCALE -> {
        beforeWriting(held);
        kernels.scale(queue, held.tensor, 0.5);
        launches++;
        for (int i = 0; i < held.values.length; i++) {
          held.values[i] *= 0.5f;
        }
      }
      case DOWNLOAD -> assertArrayEquals(held.values, read(queue, held));
      case LEND -> lend(held);
      case BORROW -> borrow(held, deed.number());
      default -> throw new AssertionError(deed);
    }
  }

  /** Another of its size; null for none. */
  private Held fitting(Held held, Deed deed, boolean isWritten) {
    List<Held> others =
        tensors.stream()
            .filter(it -> it != held && it.values.length == held.values.length && (it.isWritten || !isWritten))
            .toList();
    return others.isEmpty() ? null : others.get(deed.other() % others.size());
  }

  private void merge(Held from, Held to, boolean isCopy) throws InterruptedException {
    if (to == null) {
      return;
    }
    beforeWriting(to);
    if (isCopy) {
      kernels.copy(queue, from.tensor, to.tensor);
    } else {
      kernels.add(queue, from.tensor, to.tensor);
    }
    launches++;
    for (int i = 0; i < to.values.length; i++) {
      to.values[i] = isCopy ? from.values[i] : to.values[i] + from.values[i];
    }
  }

  private void upload(Held held) throws InterruptedException {
    beforeWriting(held);
    for (int i = 0; i < held.values.length; i++) {
      held.values[i] = random.nextInt(1000);
    }
    device.transfer().uploadAtOnce(queue, MemorySegment.ofArray(held.values.clone()), held.tensor);
  }

  private void lend(Held held) throws InterruptedException {
    join(held);
    Held sum = sums[SIZES.indexOf(held.values.length)];
    Event written = queue.record();
    held.lent =
        otherThread.submit(
            () -> {
              otherQueue.await(written);
              kernels.add(otherQueue, held.tensor, sum.tensor);
              return otherQueue.record();
            });
    launches++;
    for (int i = 0; i < sum.values.length; i++) {
      sum.values[i] += held.values[i];
    }
  }

  private void borrow(Held into, int value) throws InterruptedException {
    int size = SIZES.indexOf(into.values.length);
    var borrowed = new Held[1];
    var filled = new Event[1];
    elsewhere(
        () -> {
          borrowed[0] = take(size);
          kernels.fill(otherQueue, borrowed[0].tensor, value);
          filled[0] = otherQueue.record();
        });
    launches++;
    queue.await(filled[0]);
    Arrays.fill(borrowed[0].values, value);
    merge(borrowed[0], into, false);
    borrowed[0].tensor.close();
  }

  /** What another queue still reads it reads before. */
  private void beforeWriting(Held held) throws InterruptedException {
    if (held.lent != null) {
      join(held);
      queue.await(held.lent.resultNow());
      held.lent = null;
    }
    held.isWritten = true;
  }

  /** What another thread has to ask for it has asked for; not done, for that nobody need wait who closes. */
  private static void join(Held held) throws InterruptedException {
    if (held.lent != null) {
      join(held.lent);
    }
  }

  private static void join(Future<?> future) throws InterruptedException {
    try {
      future.get();
    } catch (ExecutionException failure) {
      throw new AssertionError("the other thread failed", failure);
    }
  }

  private void elsewhere(Runnable deed) throws InterruptedException {
    join(otherThread.submit(deed));
  }

  private void close(Held held) throws InterruptedException {
    join(held);
    held.tensor.close();
  }

  private void check() throws InterruptedException {
    for (Held held : tensors) {
      if (held.isWritten) {
        assertArrayEquals(held.values, read(queue, held));
      }
    }
    for (Held sum : sums) {
      elsewhere(() -> assertArrayEquals(sum.values, read(otherQueue, sum)));
    }
  }

  private float[] read(Queue reader, Held held) {
    var values = new float[held.values.length];
    device.transfer().download(reader, held.tensor, MemorySegment.ofArray(values));
    return values;
  }

  @Override
  public void close() {
    otherThread.close();
    device.close();
  }
}
