package io.hirundo.devicecpu.internal.memory;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.lib.tensor.device.AccountedTensor;
import java.util.HashSet;
import java.util.Set;

/** A device's memory: whatever is taken is booked in the ledger first. Thread-safe. */
public final class AccountedMemory implements AutoCloseable {
    private final MemoryProfile profile;
    private final DeviceLedger ledger;
    private final BlockAllocator allocator;
    private final Set<Grant> live = new HashSet<>();
    private boolean closed;

    public AccountedMemory(MemoryProfile profile, DeviceLedger ledger, BlockAllocator allocator) {
        this.profile = profile;
        this.ledger = ledger;
        this.allocator = allocator;
    }

    /**
     * Takes memory.
     *
     * @throws io.hirundo.DeviceException when the ledger or the machine has none left; nothing is booked then
     */
    public synchronized Grant take(MemoryCategory category, long byteSize) {
        if (closed) {
            throw new IllegalStateException("memory was asked of a closed device");
        }
        long bytes = profile.allocationBytes(byteSize);
        ledger.reserve(category, bytes);
        try {
            Grant grant =
                    new Grant(category, bytes, bytes == 0 ? null : allocator.take(bytes, isTakenFromEnd(category)));
            live.add(grant);
            return grant;
        } catch (RuntimeException e) {
            ledger.release(category, bytes);
            throw e;
        }
    }

    /** Gradients stay at least until a step ends. Activations and gathered weights are given back before, those of the last block first. */
    private static boolean isTakenFromEnd(MemoryCategory category) {
        return category == MemoryCategory.GRADIENTS;
    }

    private synchronized void giveBack(Grant grant) {
        if (!live.remove(grant)) {
            throw new IllegalStateException("memory was given back twice");
        }
        grant.returned = true;
        if (grant.block != null) {
            allocator.giveBack(grant.block);
        }
        ledger.release(grant.category, grant.bytes);
    }

    /** Gives everything back to the system and the ledger, also what is still in use. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Grant grant : live) {
            grant.returned = true;
            ledger.release(grant.category, grant.bytes);
        }
        live.clear();
        allocator.close();
    }

    /** Memory that was taken. */
    public final class Grant implements AccountedTensor.Grant {
        private final MemoryCategory category;
        private final long bytes;
        private final BlockAllocator.Block block;
        private boolean returned;

        private Grant(MemoryCategory category, long bytes, BlockAllocator.Block block) {
            this.category = category;
            this.bytes = bytes;
            this.block = block;
        }

        /** Where it begins, a multiple of 64; 0 for no bytes. */
        public long address() {
            return block == null ? 0 : block.address();
        }

        /** Whether it was given back. A hint, for errors that are cheap to find: other threads may see it late. */
        @Override
        public boolean isReturned() {
            return returned;
        }

        @Override
        public void giveBack() {
            AccountedMemory.this.giveBack(this);
        }
    }
}
