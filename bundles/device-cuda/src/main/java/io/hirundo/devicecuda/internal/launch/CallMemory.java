package io.hirundo.devicecuda.internal.launch;

import io.hirundo.DeviceException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import java.util.function.LongConsumer;

/** Memory that a device's kernels take for one call, booked as workspace while the call is launched. Thread-safe. */
public final class CallMemory {
  private final DeviceMemory memory;

  public CallMemory(DeviceMemory memory) {
    this.memory = memory;
  }

  /**
   * Launches what uses the memory, which is others' when that is done. Nobody waits for that.
   *
   * @param what it is for, for people
   * @param launches gets its address
   */
  public void use(Queue queue, String what, long bytes, LongConsumer launches) {
    DeviceMemory.Grant grant;
    try {
      grant = memory.take(MemoryCategory.WORKSPACE, bytes);
    } catch (DeviceException e) {
      throw new DeviceException("no memory for " + what + " (" + MemoryCategory.WORKSPACE + "): " + e.getMessage(), e);
    }
    try {
      grant.use(CudaQueue.of(queue));
      launches.accept(grant.address());
    } finally {
      grant.giveBack();
    }
  }
}
