package io.hirundo.devicemeta.internal.work;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;

/**
 * Counts work, and simulates its duration. A multiply-add is two operations; any other arithmetic operation on an element,
 * including an exponential, is one. Moved bytes count each operand and result once; for tables only the rows that are looked up.
 *
 * @param speed of the impersonated device; null if work takes no time
 */
public record Work(DeviceLedger ledger, SpeedOptions speed) {
    /** Counts work that reads or writes its operands completely. */
    public void book(Queue queue, String kernel, long flops, MetaTensor... operands) {
        long movedBytes = 0;
        for (MetaTensor operand : operands) {
            movedBytes += operand.byteSize();
        }
        bookBytes(queue, kernel, flops, movedBytes);
    }

    /** Counts work that moves so many bytes. */
    public void bookBytes(Queue queue, String kernel, long flops, long movedBytes) {
        ledger.work(kernel, flops, movedBytes);
        if (speed != null) {
            ((TimedQueue) queue).work(speed.nanos(flops, movedBytes));
        }
    }
}
