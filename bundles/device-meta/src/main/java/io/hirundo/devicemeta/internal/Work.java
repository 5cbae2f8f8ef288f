package io.hirundo.devicemeta.internal;

import io.hirundo.device.DeviceLedger;
import java.util.Arrays;

/**
 * Books work. Conventions: a multiply-add is two operations, any other arithmetic operation on an element (an exponential
 * too) is one; moved bytes are those of the operands and results, each once, of tables only the rows that are looked up.
 */
public record Work(DeviceLedger ledger) {
  /** Work whose operands are read or written whole. */
  public void book(String kernel, long flops, MetaTensor... operands) {
    bookBytes(kernel, flops, Arrays.stream(operands).mapToLong(MetaTensor::byteSize).sum());
  }

  /** Work that moves this many bytes. */
  public void bookBytes(String kernel, long flops, long movedBytes) {
    ledger.work(kernel, flops, movedBytes);
  }
}
