package io.hirundo.devicecuda.internal.stream;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.TensorMap;
import io.hirundo.devicecuda.internal.graph.Call;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The parameters of a kernel launch in order, and the launch. Each queue has one object that it reuses for every launch. */
public final class Launch implements Call.Asked {
    private static final int MAX_PARAMETERS = 24;
    /** Maximum size of parameters with every GPU and compiler, including padding. */
    private static final int MAX_BYTES = 8192;

    private static final long LARGEST_GRID = Integer.MAX_VALUE;

    private final DirectCalls calls;
    private final CudaQueue queue;
    private final MemorySegment data;
    private final MemorySegment addresses;
    private Handles.Function kernel;
    private int count;
    private long dataBytes;
    private int sharedBytes;
    private KernelCall.Extent extent;

    Launch(DirectCalls calls, CudaQueue queue) {
        this.calls = calls;
        this.queue = queue;
        addresses = Arena.ofAuto().allocate(ADDRESS, MAX_PARAMETERS);
        data = Arena.ofAuto().allocate(MAX_BYTES, TensorMap.ALIGNMENT);
    }

    Launch begin(Handles.Function function) {
        kernel = function;
        count = 0;
        dataBytes = 0;
        sharedBytes = 0;
        return this;
    }

    /** The address of a tensor; 0 for null. The queue's work then uses the tensor's memory. */
    public Launch tensor(CudaTensor tensor) {
        return integer(tensor == null ? 0 : address(tensor));
    }

    /** As {@link #tensor}, for a field of a structure. */
    public long address(CudaTensor tensor) {
        return tensor.on(queue);
    }

    /** An {@code i64} or an address. */
    public Launch integer(long value) {
        next(Long.BYTES, Long.BYTES).set(JAVA_LONG, 0, value);
        return this;
    }

    /** An {@code int} that is 0 or 1. */
    public Launch flag(boolean value) {
        // Little-endian, so all bytes of the slot are written.
        return integer(value ? 1 : 0);
    }

    /** A {@code double}. */
    public Launch real(double value) {
        next(Double.BYTES, Double.BYTES).set(JAVA_DOUBLE, 0, value);
        return this;
    }

    /** A tensor map of a matrix, passed by value. */
    public Launch matrix(CudaTensor tensor, long columns, long rows, int tileRows) {
        return tiles(tensor, columns, new TensorMap.Extent(rows, columns, tileRows));
    }

    /** A tensor map with more than two dimensions. */
    public Launch tiles(CudaTensor tensor, long columns, TensorMap.Extent... extents) {
        long address = tensor.on(queue);
        queue.makeCurrent();
        calls.encode(
                new TensorMap(address, tensor.dtype(), columns, List.of(extents)),
                next(TensorMap.BYTES, TensorMap.ALIGNMENT).fill((byte) 0));
        return this;
    }

    /** A structure passed by value, initialized with zeros and filled before {@link #run}. */
    public MemorySegment structure(long bytes) {
        return next(bytes, Long.BYTES).fill((byte) 0);
    }

    /** The slot of the next parameter. Padding is zero, so that equal parameters have equal bytes. */
    private MemorySegment next(long bytes, long alignment) {
        long at = Math.ceilDiv(dataBytes, alignment) * alignment;
        data.asSlice(dataBytes, at - dataBytes).fill((byte) 0);
        dataBytes = at + bytes;
        MemorySegment place = data.asSlice(at, bytes);
        addresses.setAtIndex(ADDRESS, count++, place);
        return place;
    }

    /** Sets the dynamic shared memory per block. */
    public Launch shared(int bytes) {
        sharedBytes = bytes;
        return this;
    }

    /** Launches; does nothing for zero blocks. */
    public void run(long blocks, int threads) {
        run(blocks, 1, threads);
    }

    /**
     * Launches in two dimensions.
     *
     * @param blocks up to 2^31 - 1
     * @param rows blocks in the second dimension, up to 65535
     */
    public void run(long blocks, long rows, int threads) {
        if (blocks > LARGEST_GRID || rows > 0xffff) {
            throw new IllegalArgumentException(
                    "a kernel of " + blocks + " x " + rows + " blocks is larger than a GPU takes");
        }
        if (blocks > 0 && rows > 0) {
            extent = new KernelCall.Extent((int) blocks, (int) rows, threads, sharedBytes);
            queue.call(this);
        }
    }

    @Override
    public void submit(Handles.Stream stream) {
        new KernelCall(calls, kernel, extent, data, addresses).submit(stream);
    }

    @Override
    public Call kept() {
        return KernelCall.copy(calls, kernel, extent, data.asSlice(0, dataBytes), addresses, count);
    }

    @Override
    public boolean isLike(Call kept) {
        return kept instanceof KernelCall other && kernel == other.kernel() && extent.equals(other.extent());
    }

    @Override
    public boolean hasOperandsOf(Call kept) {
        return kept instanceof KernelCall other && data.asSlice(0, dataBytes).mismatch(other.data()) == -1;
    }

    /** The kernel's name. */
    @Override
    public String toString() {
        return kernel.toString();
    }
}
