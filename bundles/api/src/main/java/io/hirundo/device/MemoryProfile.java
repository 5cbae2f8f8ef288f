package io.hirundo.device;

/**
 * How a device turns requests into bytes, so that a counting device can impersonate it to the byte.
 *
 * @param deviceName the device that is described
 * @param alignmentBytes allocations are rounded up to a multiple of this power of two
 * @param workspaceBytes scratch memory that the device reserves when it is opened
 * @param sumsQueryGradients whether attention's backward takes what {@link io.hirundo.kernel.QueryGradientSums} says, as workspace,
 *     and gives it back when it is launched; all other kernels work in their operands and in what is reserved
 */
public record MemoryProfile(String deviceName, long alignmentBytes, long workspaceBytes, boolean sumsQueryGradients) {
  public MemoryProfile {
    if (Long.bitCount(alignmentBytes) != 1) {
      throw new IllegalArgumentException("alignmentBytes must be a power of two, not " + alignmentBytes);
    }
  }

  /** A device none of whose kernels takes memory. */
  public MemoryProfile(String deviceName, long alignmentBytes, long workspaceBytes) {
    this(deviceName, alignmentBytes, workspaceBytes, false);
  }

  /** Bytes that a request for {@code byteSize} bytes takes. */
  public long allocationBytes(long byteSize) {
    return (byteSize + alignmentBytes - 1) & -alignmentBytes;
  }
}
