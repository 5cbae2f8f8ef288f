package io.hirundo.device;

/**
 * How a device turns requests into bytes, so that a counting device can impersonate it to the byte.
 *
 * @param deviceName the device that is described
 * @param alignmentBytes allocations are rounded up to a multiple of this power of two
 * @param workspaceBytes scratch memory that the device reserves when it is opened
 */
public record MemoryProfile(String deviceName, long alignmentBytes, long workspaceBytes) {
  public MemoryProfile {
    if (Long.bitCount(alignmentBytes) != 1) {
      throw new IllegalArgumentException("alignmentBytes must be a power of two, not " + alignmentBytes);
    }
  }

  /** Bytes that a request for {@code byteSize} bytes takes. */
  public long allocationBytes(long byteSize) {
    return (byteSize + alignmentBytes - 1) & -alignmentBytes;
  }
}
