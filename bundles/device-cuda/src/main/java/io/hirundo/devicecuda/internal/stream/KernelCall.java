package io.hirundo.devicecuda.internal.stream;

import static java.lang.foreign.ValueLayout.ADDRESS;

import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.TensorMap;
import io.hirundo.devicecuda.internal.graph.Call;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A kernel launch.
 *
 * @param data values of all parameters
 * @param addresses address of each parameter in {@code data}
 */
record KernelCall(
        DirectCalls calls, Handles.Function kernel, Extent extent, MemorySegment data, MemorySegment addresses)
        implements Call {
    /** Grid in two dimensions, threads per block, and dynamic shared memory per block in bytes. */
    record Extent(int blocks, int rows, int threads, int sharedBytes) {}

    /** Creates a call with a copy of {@code count} parameters. */
    static KernelCall copy(
            DirectCalls calls,
            Handles.Function kernel,
            Extent extent,
            MemorySegment data,
            MemorySegment addresses,
            int count) {
        Arena arena = Arena.ofAuto();
        MemorySegment copy =
                arena.allocate(data.byteSize(), TensorMap.ALIGNMENT).copyFrom(data);
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
