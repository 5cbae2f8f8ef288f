package io.hirundo.devicemeta.internal.work;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import java.util.Arrays;

/**
 * Books work, and lets it take its time. Conventions: a multiply-add is two operations, any other arithmetic operation on an
 * element (an exponential too) is one; moved bytes are those of the operands and results, each once, of tables only the rows
 * that are looked up.
 *
 * @param speed that work is done with; null where it takes no time
 */
public record Work(DeviceLedger ledger, SpeedOptions speed) {
  /** Work whose operands are read or written whole. */
  public void book(Queue queue, String kernel, long flops, MetaTensor... operands) {
    bookBytes(queue, kernel, flops, Arrays.stream(operands).mapToLong(MetaTensor::byteSize).sum());
  }

  /** Work that moves this many bytes. */
  public void bookBytes(Queue queue, String kernel, long flops, long movedBytes) {
    ledger.work(kernel, flops, movedBytes);
    if (speed != null) {
      ((TimedQueue) queue).work(speed.nanos(flops, movedBytes));
    }
  }
}
