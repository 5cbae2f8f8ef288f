package io.hirundo.devicecuda.internal.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Functions of {@code libcuda} that are called past JCuda: launches, because they are many and cost microseconds through JNI, and
 * what JCuda does not have. Both ways share the thread's current context. Handles are passed as integers.
 */
public record DirectCalls(MethodHandle launchKernel, MethodHandle getDefaultPool, MethodHandle setPoolAttribute) {
  /** {@code CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}. */
  private static final int RELEASE_THRESHOLD = 4;

  static DirectCalls of(NativeLibrary library) {
    return new DirectCalls(
        library.function(
            "cuLaunchKernel", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS,
            ADDRESS),
        library.function("cuDeviceGetDefaultMemPool", ADDRESS, JAVA_INT),
        library.function("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS));
  }

  /**
   * Launches a kernel that has no dynamic shared memory.
   *
   * @param parameters an array of addresses of the parameters' values; may be reused after the call
   */
  public void launch(Handles.Function kernel, int gridX, int gridY, int threads, Handles.Stream stream, MemorySegment parameters) {
    int result;
    try {
      result =
          (int)
              launchKernel.invokeExact(
                  kernel.address(), gridX, gridY, 1, threads, 1, 1, 0, stream.address(), parameters, MemorySegment.NULL);
    } catch (Throwable thrown) {
      throw Result.impossible(thrown);
    }
    Result.check("cuLaunchKernel", result);
  }

  /** Keeps memory that is given back to a device's default pool in the process: without it every synchronization trims the pool. */
  public void keepReleasedMemory(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pool = arena.allocate(JAVA_LONG);
      Result.check("cuDeviceGetDefaultMemPool", (int) getDefaultPool.invokeExact(pool, ordinal));
      MemorySegment threshold = arena.allocateFrom(JAVA_LONG, -1L);
      Result.check(
          "cuMemPoolSetAttribute",
          (int) setPoolAttribute.invokeExact(pool.get(JAVA_LONG, 0), RELEASE_THRESHOLD, threshold));
    } catch (Throwable thrown) {
      throw Result.impossible(thrown);
    }
  }
}
