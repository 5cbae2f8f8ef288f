package io.hirundo.devicecuda.internal.stream;

import static java.lang.foreign.ValueLayout.ADDRESS;

import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.TensorMap;
import io.hirundo.devicecuda.internal.graph.Call;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A launch of a kernel.
 *
 * @param data all parameters
 * @param addresses of each in them
 */
record KernelCall(DirectCalls calls, Handles.Function kernel, Extent extent, MemorySegment data, MemorySegment addresses)
    implements Call {
  /** Blocks in two dimensions, threads of a block, and bytes of its dynamic shared memory. */
  record Extent(int blocks, int rows, int threads, int sharedBytes) {}

  /** With a copy of parameters, {@code count} of them. */
  static KernelCall copy(DirectCalls calls, Handles.Function kernel, Extent extent, MemorySegment data, MemorySegment addresses, int count) {
    Arena arena = Arena.ofAuto();
    MemorySegment copy = arena.allocate(data.byteSize(), TensorMap.ALIGNMENT).copyFrom(data);
    MemorySegment copies = arena.allocate(ADDRESS, count);
    for (int index = 0; index < count; index++) {
      long offset = addresses.getAtIndex(ADDRESS, index).address() - data.address();
      copies.setAtIndex(ADDRESS, index, copy.asSlice(offset));
    }
    return new KernelCall(calls, kernel, extent, copy, copies);
  }

  @Override
  public void submit(Handles.Stream stream) {
    calls.launch(kernel, extent.blocks, extent.rows, extent.threads, extent.sharedBytes, stream, addresses);
  }

  /** The kernel's name. */
  @Override
  public String toString() {
    return kernel.toString();
  }
}
