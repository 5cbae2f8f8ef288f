package io.hirundo.devicecuda.internal.graph;

/**
 * Memory that was taken in a pass.
 *
 * @param number among those of the pass
 * @param offsetBytes its fixed place; {@link #IN_POOL} for none
 */
public record Allocation(Pass pass, int number, long bytes, long offsetBytes) {
  /** It is where the driver's pool has room. */
  static final long IN_POOL = -1;

  public boolean hasPlace() {
    return offsetBytes != IN_POOL;
  }
}
