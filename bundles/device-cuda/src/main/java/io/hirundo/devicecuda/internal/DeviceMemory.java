package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * A device's memory: whatever is taken is booked in the ledger first, and comes from the driver's pool.
 *
 * <p>Memory is taken and given back in the order of one queue, its home: the one that the taking thread used last, for a queue
 * belongs to one thread. So what one queue takes, uses and gives back waits for nothing. Another queue waits for the taking before
 * it uses the memory. Memory that others have used goes to the driver when their work with it has ended; the host waits for that
 * only where the memory is needed. So memory may be given back while work that uses it is still to come. Thread-safe.
 */
final class DeviceMemory implements AutoCloseable {
  private final Context context;
  private final Runnable trim;
  private final MemoryProfile profile;
  private final DeviceLedger ledger;
  private final long limitBytes;
  private final EventPool events;
  /** The home of what threads without a queue take, and of those whose queue is closed. */
  private final Handles.Stream spare = new Handles.Stream();
  private final ThreadLocal<CudaQueue> queueOfThread = new ThreadLocal<>();
  private final Set<Grant> live = new LinkedHashSet<>();
  /** Given back, and not yet to the driver; in that order. */
  private final Deque<Grant> returned = new ArrayDeque<>();
  private long liveBytes;
  private long returnedBytes;
  private boolean closed;

  /**
   * @param trim gives what the driver's pool keeps and nobody uses back to the driver
   * @param limitBytes what may be taken at most
   */
  DeviceMemory(Context context, Runnable trim, MemoryProfile profile, DeviceLedger ledger, long limitBytes, EventPool events) {
    this.context = context;
    this.trim = trim;
    this.profile = profile;
    this.ledger = ledger;
    this.limitBytes = limitBytes;
    this.events = events;
    Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(spare, CUstream_flags.CU_STREAM_NON_BLOCKING));
  }

  /**
   * Takes memory.
   *
   * @throws DeviceException when the ledger or the device has none left; nothing is booked then
   */
  synchronized Grant take(MemoryCategory category, long byteSize) {
    if (closed) {
      throw new IllegalStateException("memory was asked of a closed device");
    }
    long bytes = profile.allocationBytes(byteSize);
    ledger.reserve(category, bytes);
    try {
      Grant grant = new Grant(category, bytes);
      live.add(grant);
      liveBytes += bytes;
      return grant;
    } catch (RuntimeException e) {
      ledger.release(category, bytes);
      throw e;
    }
  }

  private void require(long bytes) {
    while (!returned.isEmpty() && returned.peek().isUnused()) {
      release(returned.poll());
    }
    if (bytes > limitBytes - liveBytes - returnedBytes) {
      awaitReturned();
    }
    if (bytes > limitBytes - liveBytes) {
      throw new DeviceException(bytes + " bytes are not left of " + limitBytes + ": " + taken());
    }
  }

  /** Waits for what still uses memory that was given back; false where there is none. */
  private boolean awaitReturned() {
    boolean any = !returned.isEmpty();
    while (!returned.isEmpty()) {
      returned.peek().awaitUses();
      release(returned.poll());
    }
    return any;
  }

  /** As in {@code 30 are taken: WEIGHTS 10, GRADIENTS 20}. */
  private String taken() {
    var byCategory = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
    live.forEach(grant -> byCategory.merge(grant.category, grant.bytes, Long::sum));
    String each = String.join(", ", byCategory.entrySet().stream().map(one -> one.getKey() + " " + one.getValue()).toList());
    return liveBytes + " are taken" + (each.isEmpty() ? "" : ": " + each);
  }

  private void release(Grant grant) {
    returnedBytes -= grant.bytes;
    grant.free();
  }

  /** Gives everything back, also what is still in use. The queues are closed before. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Grant grant : new ArrayList<>(live)) {
      grant.giveBack();
    }
    awaitReturned();
    context.makeCurrent();
    Result.check("the end of the device's memory", JCudaDriver.cuStreamSynchronize(spare));
    Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(spare));
    // For other processes: nobody in this one may ever ask for as much again.
    trim.run();
  }

  /** The work of a queue that uses memory which was given back, and its end. */
  private record Use(CudaQueue queue, CudaEvent end) {}

  /** Memory that was taken. */
  final class Grant {
    private final MemoryCategory category;
    private final long bytes;
    private final Handles.Memory memory = new Handles.Memory();
    /** Null for the spare stream. */
    private final CudaQueue home;
    private CudaEvent taken;
    /** Other queues than its home. */
    private final Set<CudaQueue> users = new HashSet<>(2);
    private final Deque<Use> uses = new ArrayDeque<>(0);
    private CudaQueue lastUser;
    private volatile boolean returned;

    private Grant(MemoryCategory category, long bytes) {
      this.category = category;
      this.bytes = bytes;
      this.home = queueOfThread.get();
      if (bytes > 0) {
        require(bytes);
        int result = allocate();
        if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY && awaitReturned()) {
          result = allocate();
        }
        if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
          // The pool may have enough, but in pieces, or of queues whose work has not ended.
          context.synchronize();
          trim.run();
          result = allocate();
        }
        if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
          throw new DeviceException(
              "the GPU has no " + bytes + " bytes left, and " + taken()
                  + "; make training.microBatch or the model smaller, or end what else uses the GPU");
        }
        Result.check("cuMemAllocAsync", result);
      }
    }

    private int allocate() {
      var result = new int[1];
      atHome(
          stream -> {
            context.makeCurrent();
            result[0] = JCudaDriver.cuMemAllocAsync(memory, bytes, stream);
            taken = result[0] == CUresult.CUDA_SUCCESS ? events.mark(stream) : null;
          });
      return result[0];
    }

    /** Has something done in the order of its home; of a home that is closed all work has ended. */
    private void atHome(Consumer<Handles.Stream> something) {
      if (home == null || !home.whileOpen(something)) {
        something.accept(spare);
      }
    }

    /** Where it begins; 0 for no bytes. */
    long address() {
      return memory.address();
    }

    Handles.Memory memory() {
      return memory;
    }

    boolean isReturned() {
      return returned;
    }

    /** The queue's work uses it from now on. */
    void use(CudaQueue queue) {
      if (queue == lastUser) {
        return;
      }
      if (queue.isOf(DeviceMemory.this)) {
        queueOfThread.set(queue);
      }
      read(queue);
    }

    /** As {@link #use}, to bring it to the host: what the thread takes next is still for the queue that it works with. */
    void read(CudaQueue queue) {
      synchronized (DeviceMemory.this) {
        lastUser = queue;
        if (queue != home && taken != null && users.add(queue)) {
          queue.makeCurrent();
          taken.blocks(queue.stream());
        }
      }
    }

    void giveBack() {
      synchronized (DeviceMemory.this) {
        if (!live.remove(this)) {
          throw new IllegalStateException("memory was given back twice");
        }
        returned = true;
        liveBytes -= bytes;
        ledger.release(category, bytes);
        for (CudaQueue user : users) {
          CudaEvent end = user.mark();
          if (end != null) {
            uses.add(new Use(user, end));
          }
        }
        if (isUnused()) {
          free();
        } else {
          DeviceMemory.this.returned.add(this);
          returnedBytes += bytes;
        }
      }
    }

    /** Whether the work of all queues but its home has ended. */
    private boolean isUnused() {
      while (!uses.isEmpty() && uses.peek().queue().isPast(uses.peek().end())) {
        Use past = uses.poll();
        past.queue().forget(past.end());
      }
      return uses.isEmpty();
    }

    private void awaitUses() {
      for (Use use : uses) {
        use.queue().awaitEnd(use.end());
        use.queue().forget(use.end());
      }
      uses.clear();
    }

    private void free() {
      if (bytes > 0) {
        atHome(
            stream -> {
              context.makeCurrent();
              Result.check("cuMemFreeAsync", JCudaDriver.cuMemFreeAsync(memory, stream));
            });
        events.forget(taken);
      }
    }

    /** A queue that comes to use it works after all that used it before. For memory that queues use by turns. */
    void hand(CudaQueue queue) {
      synchronized (DeviceMemory.this) {
        CudaEvent before = lastUser == null || lastUser == queue ? null : lastUser.mark();
        if (before != null) {
          lastUser.blocks(queue, before);
          lastUser.forget(before);
        }
      }
      use(queue);
    }
  }
}
