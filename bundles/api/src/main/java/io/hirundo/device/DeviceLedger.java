package io.hirundo.device;

import org.osgi.annotation.versioning.ProviderType;

/** The trainer's books of one device: every byte and, from devices that count, every operation. Thread-safe. */
@ProviderType
public interface DeviceLedger {
  /**
   * Called before memory is taken.
   *
   * @param bytes after rounding, {@link MemoryProfile#allocationBytes}
   * @throws io.hirundo.DeviceException when the run's memory budget would be exceeded; nothing is reserved then
   */
  void reserve(MemoryCategory category, long bytes);

  /** Called after memory was given back, with the bytes that were reserved. */
  void release(MemoryCategory category, long bytes);

  /**
   * One kernel's work, reported by devices that count instead of computing.
   *
   * @param kernel family and operation, {@code gemm.multiplyNT} for instance
   * @param flops floating-point operations, a multiply-add being two
   * @param movedBytes bytes that its operands and results occupy
   */
  void work(String kernel, long flops, long movedBytes);
}
