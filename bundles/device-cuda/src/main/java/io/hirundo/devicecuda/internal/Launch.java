package io.hirundo.devicecuda.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.TensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The parameters of a launch, in the kernel's order, and the launch. One for each queue, used again for every launch. */
public final class Launch {
  private static final int MOST_PARAMETERS = 24;
  private static final int MOST_MAPS = 4;
  private static final int VALUE_BYTES = 8;
  /** What parameters may take, with every GPU and compiler. */
  private static final int MOST_BYTES = 4096;
  private static final long LARGEST_GRID = Integer.MAX_VALUE;

  private final DirectCalls calls;
  private final CudaQueue queue;
  private final MemorySegment values;
  private final MemorySegment addresses;
  private final MemorySegment maps;
  private final MemorySegment structure;
  private Handles.Function kernel;
  private int count;
  private int mapCount;
  private int sharedBytes;

  Launch(DirectCalls calls, CudaQueue queue) {
    this.calls = calls;
    this.queue = queue;
    values = Arena.ofAuto().allocate(MOST_PARAMETERS * VALUE_BYTES, VALUE_BYTES);
    addresses = Arena.ofAuto().allocate(ADDRESS, MOST_PARAMETERS);
    structure = Arena.ofAuto().allocate(MOST_BYTES, VALUE_BYTES);
    maps = Arena.ofAuto().allocate(MOST_MAPS * TensorMap.BYTES, TensorMap.ALIGNMENT);
  }

  Launch begin(Handles.Function function) {
    kernel = function;
    count = 0;
    mapCount = 0;
    sharedBytes = 0;
    return this;
  }

  /** The address of a tensor, whose memory from now on belongs to the queue's work too; 0 for null. */
  public Launch tensor(CudaTensor tensor) {
    return integer(tensor == null ? 0 : address(tensor));
  }

  /** As {@link #tensor}, for a structure. */
  public long address(CudaTensor tensor) {
    return tensor.on(queue);
  }

  /** An {@code i64}, or an address. */
  public Launch integer(long value) {
    values.setAtIndex(JAVA_LONG, next(), value);
    return this;
  }

  /** An {@code int} that is 0 or 1. */
  public Launch flag(boolean value) {
    values.set(JAVA_INT, (long) next() * VALUE_BYTES, value ? 1 : 0);
    return this;
  }

  /** A {@code double}. */
  public Launch real(double value) {
    values.setAtIndex(JAVA_DOUBLE, next(), value);
    return this;
  }

  /** A matrix whose tiles the kernel copies, with its address; by value. */
  public Launch matrix(CudaTensor tensor, long columns, long rows, int tileRows) {
    return tiles(tensor, columns, new TensorMap.Extent(rows, columns, tileRows));
  }

  /** The same of what has more extents than two. */
  public Launch tiles(CudaTensor tensor, long columns, TensorMap.Extent... extents) {
    MemorySegment map = maps.asSlice((long) mapCount++ * TensorMap.BYTES, TensorMap.BYTES);
    long address = tensor.on(queue);
    queue.makeCurrent();
    calls.encode(new TensorMap(address, tensor.dtype(), columns, List.of(extents)), map);
    addresses.setAtIndex(ADDRESS, count++, map);
    return this;
  }

  /** A structure by value, to be filled before {@link #run}; one of a launch. */
  public MemorySegment structure(long bytes) {
    addresses.setAtIndex(ADDRESS, count++, structure);
    return structure.asSlice(0, bytes);
  }

  /** The place of the next parameter of a few bytes. */
  private int next() {
    addresses.setAtIndex(ADDRESS, count, values.asSlice((long) count * VALUE_BYTES));
    return count++;
  }

  /** Gives each block dynamic shared memory. */
  public Launch shared(int bytes) {
    sharedBytes = bytes;
    return this;
  }

  /** Launches; nothing where there are no blocks. */
  public void run(long blocks, int threads) {
    run(blocks, 1, threads);
  }

  /**
   * Launches in two dimensions.
   *
   * @param blocks to 2^31 - 1
   * @param rows blocks in the second dimension, to 65535
   */
  public void run(long blocks, long rows, int threads) {
    if (blocks > LARGEST_GRID || rows > 0xffff) {
      throw new IllegalArgumentException("a kernel of " + blocks + " x " + rows + " blocks is larger than a GPU takes");
    }
    if (blocks > 0 && rows > 0) {
      queue.launch(
          kernel,
          () -> {
            queue.makeCurrent();
            calls.launch(kernel, (int) blocks, (int) rows, threads, sharedBytes, queue.stream(), addresses);
          });
    }
  }
}
