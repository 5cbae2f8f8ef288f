package io.hirundo.devicecuda.internal.memory;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUdeviceptr;

/**
 * A device's memory: whatever is taken is booked in the ledger first, and comes from the driver's pool.
 *
 * <p>Memory is taken and given back in the order of one queue, its home: the one that the taking thread used last, for a queue
 * belongs to one thread. So what one queue takes, uses and gives back waits for nothing. Another queue waits for the taking before
 * it uses the memory. Memory that others have used goes to the driver when their work with it has ended; the host waits for that
 * only where the memory is needed. So memory may be given back while work that uses it is still to come. Thread-safe.
 */
public final class DeviceMemory implements AutoCloseable {
  private final MemoryProfile profile;
  private final DeviceLedger ledger;
  private final long limitBytes;
  private final DriverPool pool;
  private final ThreadLocal<MemoryQueue> queueOfThread = new ThreadLocal<>();
  private final Set<Grant> live = new LinkedHashSet<>();
  private long liveBytes;
  private boolean closed;

  /** {@code limitBytes}: what may be taken at most. */
  public DeviceMemory(DriverPool pool, MemoryProfile profile, DeviceLedger ledger, long limitBytes) {
    this.pool = pool;
    this.profile = profile;
    this.ledger = ledger;
    this.limitBytes = limitBytes;
  }

  /**
   * Takes memory.
   *
   * @throws DeviceException when the ledger or the device has none left; nothing is booked then
   */
  public synchronized Grant take(MemoryCategory category, long byteSize) {
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

  /**
   * Takes memory in which what a queue's repeated work takes has its places.
   *
   * @return held; empty where the GPU has none left
   */
  public synchronized Optional<FixedMemory> takeFixed(long bytes, MemoryQueue home) {
    return pool.takeFixed(bytes, home);
  }

  /** See {@link FixedMemory#hold}. */
  public synchronized boolean hold(FixedMemory memory) {
    return memory.hold();
  }

  /** See {@link FixedMemory#isEmpty}. */
  public synchronized boolean isEmpty(FixedMemory memory) {
    return memory.isEmpty();
  }

  /** See {@link FixedMemory#letGo}. */
  public synchronized void letGo(FixedMemory memory) {
    memory.letGo();
  }

  /** See {@link FixedMemory#release}. */
  public synchronized void release(FixedMemory memory) {
    memory.release();
    pool.giveBackWhereOver(memory);
  }

  private void require(long bytes) {
    if (bytes > limitBytes - liveBytes - pool.returnedBytes() - pool.idleBytes()) {
      pool.takeIdleBack();
    }
    if (bytes > limitBytes - liveBytes - pool.returnedBytes()) {
      pool.awaitReturned();
    }
    if (bytes > limitBytes - liveBytes) {
      throw new DeviceException(bytes + " bytes are not left of " + limitBytes + ": " + taken());
    }
  }

  /** As in {@code 30 are taken: WEIGHTS 10, GRADIENTS 20}. */
  private String taken() {
    var byCategory = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
    live.forEach(grant -> byCategory.merge(grant.category, grant.bytes, Long::sum));
    String each = String.join(", ", byCategory.entrySet().stream().map(one -> one.getKey() + " " + one.getValue()).toList());
    return liveBytes + " are taken" + (each.isEmpty() ? "" : ": " + each);
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
    pool.close();
  }

  /** Memory that was taken. */
  public final class Grant {
    private final MemoryCategory category;
    private final long bytes;
    private final PoolBlock block;
    /** In the block. */
    private final long offsetBytes;
    /** Null for the spare stream. */
    private final MemoryQueue home;
    /** Null where it was not taken in repeated work. */
    private final FixedMemory.Place place;
    private MemoryQueue lastUser;
    private volatile boolean returned;

    private Grant(MemoryCategory category, long bytes) {
      this.category = category;
      this.bytes = bytes;
      this.home = queueOfThread.get();
      if (bytes > 0) {
        require(bytes);
      }
      place = home == null || bytes == 0 ? null : home.takeRepeated(bytes);
      if (hasFixedPlace()) {
        block = place.memory().block();
        offsetBytes = place.take().offsetBytes();
        place.memory().take();
        return;
      }
      offsetBytes = 0;
      block =
          pool.take(bytes, home)
              .orElseThrow(
                  () ->
                      new DeviceException(
                          "the GPU has no " + bytes + " bytes left, and " + DeviceMemory.this.taken()
                              + "; make training.microBatch or the model smaller, or end what else uses the GPU"
                              + (pool.hasFixed() ? ", or go without device.options.graphs" : "")));
    }

    private boolean hasFixedPlace() {
      return place != null && place.take().hasPlace();
    }

    /** Where it begins; 0 for no bytes. */
    public long address() {
      return block.address() + offsetBytes;
    }

    /** Where it is, some bytes further. */
    CUdeviceptr pointer(long furtherBytes) {
      return block.pointer(offsetBytes + furtherBytes);
    }

    boolean isReturned() {
      return returned;
    }

    /** The queue's work uses it from now on. */
    public void use(MemoryQueue queue) {
      if (queue == lastUser) {
        return;
      }
      if (queue.isOf(DeviceMemory.this)) {
        queueOfThread.set(queue);
      }
      read(queue);
    }

    /** As {@link #use}, to bring it to the host: what the thread takes next is still for the queue that it works with. */
    void read(MemoryQueue queue) {
      synchronized (DeviceMemory.this) {
        lastUser = queue;
        block.use(queue);
        if (hasFixedPlace()) {
          // Its place may have been another's since the block was taken.
          follow(home, queue);
        }
      }
    }

    public void giveBack() {
      synchronized (DeviceMemory.this) {
        if (!live.remove(this)) {
          throw new IllegalStateException("memory was given back twice");
        }
        returned = true;
        liveBytes -= bytes;
        ledger.release(category, bytes);
        if (place != null) {
          home.giveRepeated(place.take(), block.isHomesAlone());
        }
        if (hasFixedPlace()) {
          place.memory().give();
          pool.giveBackWhereOver(place.memory());
        } else {
          pool.giveBack(block);
        }
      }
    }

    /** A queue that comes to use it works after all that used it before. For memory that queues use by turns. */
    public void hand(MemoryQueue queue) {
      synchronized (DeviceMemory.this) {
        if (lastUser != null) {
          follow(lastUser, queue);
        }
      }
      use(queue);
    }

    /** Later work of a queue waits for another's until now. */
    private static void follow(MemoryQueue before, MemoryQueue queue) {
      CudaEvent end = before == queue ? null : before.mark();
      if (end != null) {
        before.blocks(queue, end);
        before.forget(end);
      }
    }
  }
}
