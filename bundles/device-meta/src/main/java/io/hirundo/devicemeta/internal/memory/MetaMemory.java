package io.hirundo.devicemeta.internal.memory;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.lib.tensor.device.AccountedTensor;
import java.util.HashSet;
import java.util.Set;

/** Memory that is accounted for but never allocated. Thread-safe. */
public final class MetaMemory implements AutoCloseable {
    private final MemoryProfile profile;
    private final DeviceLedger ledger;
    private final long limitBytes;
    private final Set<Grant> live = new HashSet<>();
    private long liveBytes;
    private boolean closed;

    public MetaMemory(MemoryProfile profile, DeviceLedger ledger, long limitBytes) {
        this.profile = profile;
        this.ledger = ledger;
        this.limitBytes = limitBytes;
    }

    /** Accounts for an allocation, rounded like the impersonated device's. */
    public synchronized Grant take(MemoryCategory category, long byteSize) {
        if (closed) {
            throw new IllegalStateException("memory was asked of a closed device");
        }
        long bytes = profile.allocationBytes(byteSize);
        if (bytes > limitBytes - liveBytes) {
            throw new DeviceException("device memory: " + bytes + " bytes more for " + category + ", but " + liveBytes
                    + " of " + limitBytes + " are in use; choose smaller batches or sequences, or more recomputation");
        }
        ledger.reserve(category, bytes);
        liveBytes += bytes;
        var grant = new Grant(category, bytes);
        live.add(grant);
        return grant;
    }

    private synchronized void giveBack(Grant grant) {
        if (grant.returned) {
            throw new IllegalStateException("memory was given back twice");
        }
        grant.returned = true;
        live.remove(grant);
        liveBytes -= grant.bytes;
        ledger.release(grant.category, grant.bytes);
    }

    /** Releases all remaining memory. */
    @Override
    public synchronized void close() {
        closed = true;
        Set.copyOf(live).forEach(Grant::giveBack);
    }

    /** An accounted allocation. */
    public final class Grant implements AccountedTensor.Grant {
        private final MemoryCategory category;
        private final long bytes;
        /** Read for each operand of each kernel, so without the lock. */
        private volatile boolean returned;

        private Grant(MemoryCategory category, long bytes) {
            this.category = category;
            this.bytes = bytes;
        }

        @Override
        public boolean isReturned() {
            return returned;
        }

        @Override
        public void giveBack() {
            MetaMemory.this.giveBack(this);
        }
    }
}
