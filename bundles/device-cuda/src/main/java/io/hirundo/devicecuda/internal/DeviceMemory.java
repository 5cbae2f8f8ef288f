package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * A device's memory: whatever is taken is booked in the ledger first, and comes from the driver's pool.
 *
 * <p>Taking and giving back happen on a stream of their own, so that neither waits. Before a queue first uses memory, its stream
 * waits for the taking; before memory is given back, that stream waits for the queues that used it. So memory may be given back
 * while work that uses it is still to come, in whatever order queues run. Thread-safe.
 */
final class DeviceMemory implements AutoCloseable {
  private final Context context;
  private final MemoryProfile profile;
  private final DeviceLedger ledger;
  private final long limitBytes;
  private final Handles.Stream stream = new Handles.Stream();
  private final CUevent fence = new CUevent();
  private final Set<Grant> live = new HashSet<>();
  private long liveBytes;
  private long allocations;
  private boolean closed;

  /**
   * @param limitBytes what may be taken at most
   */
  DeviceMemory(Context context, MemoryProfile profile, DeviceLedger ledger, long limitBytes) {
    this.context = context;
    this.profile = profile;
    this.ledger = ledger;
    this.limitBytes = limitBytes;
    Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    Result.check("cuEventCreate", JCudaDriver.cuEventCreate(fence, CUevent_flags.CU_EVENT_DISABLE_TIMING));
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
    if (bytes > limitBytes - liveBytes) {
      throw new DeviceException(bytes + " bytes are not left of " + limitBytes + ": " + liveBytes + " are taken");
    }
  }

  private void free(Grant grant) {
    if (grant.bytes > 0) {
      for (CudaQueue user : grant.users) {
        user.whileOpen(used -> follow(used, stream));
      }
      context.makeCurrent();
      Result.check("cuMemFreeAsync", JCudaDriver.cuMemFreeAsync(grant.memory, stream));
    }
    liveBytes -= grant.bytes;
    ledger.release(grant.category, grant.bytes);
  }

  /** Later work of a stream comes after what another has been given so far. */
  private void follow(Handles.Stream first, Handles.Stream second) {
    context.makeCurrent();
    Result.check("cuEventRecord", JCudaDriver.cuEventRecord(fence, first));
    Result.check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(second, fence, 0));
  }

  /** Gives everything back, also what is still in use. The queues are closed before. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<Grant> rest = new ArrayList<>(live);
    live.clear();
    for (Grant grant : rest) {
      grant.returned = true;
      free(grant);
    }
    context.makeCurrent();
    Result.check("the end of the device's memory", JCudaDriver.cuStreamSynchronize(stream));
    Result.check("cuEventDestroy", JCudaDriver.cuEventDestroy(fence));
    Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
  }

  /** Memory that was taken. */
  final class Grant {
    private final MemoryCategory category;
    private final long bytes;
    private final Handles.Memory memory = new Handles.Memory();
    private final long number;
    private final Set<CudaQueue> users = new HashSet<>(2);
    private CudaQueue lastUser;
    private volatile boolean returned;

    private Grant(MemoryCategory category, long bytes) {
      this.category = category;
      this.bytes = bytes;
      if (bytes > 0) {
        require(bytes);
        context.makeCurrent();
        Result.check("cuMemAllocAsync", JCudaDriver.cuMemAllocAsync(memory, bytes, stream));
        allocations++;
      }
      number = allocations;
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
      synchronized (DeviceMemory.this) {
        lastUser = queue;
        users.add(queue);
        if (!queue.comesAfter(DeviceMemory.this, number)) {
          follow(stream, queue.stream());
          queue.comesAfterAll(DeviceMemory.this, allocations);
        }
      }
    }

    void giveBack() {
      synchronized (DeviceMemory.this) {
        if (!live.remove(this)) {
          throw new IllegalStateException("memory was given back twice");
        }
        returned = true;
        free(this);
      }
    }

    /** A queue that comes to use it works after all that used it before. For memory that queues use by turns. */
    void hand(CudaQueue queue) {
      synchronized (DeviceMemory.this) {
        if (lastUser != null && lastUser != queue) {
          lastUser.whileOpen(used -> follow(used, queue.stream()));
        }
      }
      use(queue);
    }
  }
}
