package io.hirundo.devicecuda.internal.memory;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.lib.tensor.device.AccountedTensor;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUdeviceptr;

/**
 * A device's memory. Each allocation is first accounted in the ledger, then allocated from the driver's pool.
 *
 * <p>Memory is allocated and freed in the order of its home queue: the queue that the allocating thread used last, because a queue belongs
 * to one thread. So memory that one queue allocates, uses and frees needs no synchronization. Another queue waits for the allocation before
 * it uses the memory. Memory that other queues have used is freed when their work with it has ended; the host waits for that only if the
 * memory is needed. So memory may be freed while work that uses it is still pending. Thread-safe.
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

    /** {@code limitBytes}: maximum of allocated bytes. */
    public DeviceMemory(DriverPool pool, MemoryProfile profile, DeviceLedger ledger, long limitBytes) {
        this.pool = pool;
        this.profile = profile;
        this.ledger = ledger;
        this.limitBytes = limitBytes;
    }

    /**
     * Allocates memory.
     *
     * @throws DeviceException if the ledger's budget or the device's memory is exhausted; nothing is accounted then
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
     * Allocates memory for the fixed offsets of a queue's captured work.
     *
     * @return held memory; empty if the GPU has not enough
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

    /** For example {@code 30 are taken: WEIGHTS 10, GRADIENTS 20}. */
    private String taken() {
        var byCategory = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        live.forEach(grant -> byCategory.merge(grant.category, grant.bytes, Long::sum));
        String each = String.join(
                ", ",
                byCategory.entrySet().stream()
                        .map(one -> one.getKey() + " " + one.getValue())
                        .toList());
        return liveBytes + " are taken" + (each.isEmpty() ? "" : ": " + each);
    }

    /** Frees everything, even memory in use. The queues are closed before. */
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

    /** Allocated memory. */
    public final class Grant implements AccountedTensor.Grant {
        private final MemoryCategory category;
        private final long bytes;
        private final PoolBlock block;
        /** Offset in the block. */
        private final long offsetBytes;
        /** Null for the spare stream. */
        private final MemoryQueue home;
        /** Null for memory outside of captured work. */
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
            block = pool.take(bytes, home)
                    .orElseThrow(() -> new DeviceException(
                            "the GPU has no " + bytes + " bytes left, and " + DeviceMemory.this.taken()
                                    + "; make training.microBatch or the model smaller, or end what else uses the GPU"
                                    + (pool.hasFixed() ? ", or go without device.options.graphs" : "")));
        }

        private boolean hasFixedPlace() {
            return place != null && place.take().hasPlace();
        }

        /** The address; 0 for zero bytes. */
        public long address() {
            return block.address() + offsetBytes;
        }

        /** The address plus a byte offset. */
        CUdeviceptr pointer(long furtherBytes) {
            return block.pointer(offsetBytes + furtherBytes);
        }

        @Override
        public boolean isReturned() {
            return returned;
        }

        /** Marks the memory as used by the queue. */
        public void use(MemoryQueue queue) {
            if (queue == lastUser) {
                return;
            }
            if (queue.isOf(DeviceMemory.this)) {
                queueOfThread.set(queue);
            }
            read(queue);
        }

        /** As {@link #use}, for a download: does not change the queue of the thread's next allocations. */
        void read(MemoryQueue queue) {
            synchronized (DeviceMemory.this) {
                lastUser = queue;
                block.use(queue);
                if (hasFixedPlace()) {
                    // The fixed offset may have been used by another allocation since the block was allocated.
                    follow(home, queue);
                }
            }
        }

        @Override
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

        /** Makes a queue wait for all earlier users of the memory, for memory that queues use one after the other. */
        public void hand(MemoryQueue queue) {
            synchronized (DeviceMemory.this) {
                if (lastUser != null) {
                    follow(lastUser, queue);
                }
            }
            use(queue);
        }

        /** Makes later work of a queue wait for the current work of another one. */
        private static void follow(MemoryQueue before, MemoryQueue queue) {
            CudaEvent end = before == queue ? null : before.mark();
            if (end != null) {
                before.blocks(queue, end);
                before.forget(end);
            }
        }
    }
}
