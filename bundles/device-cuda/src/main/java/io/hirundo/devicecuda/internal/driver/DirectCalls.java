package io.hirundo.devicecuda.internal.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Functions of {@code libcuda} that are called without JCuda: launches, because they are frequent and JNI costs microseconds, and functions
 * that JCuda lacks. Both ways share the thread's current context. Handles are passed as integers.
 */
public record DirectCalls(
        MethodHandle launchKernel,
        MethodHandle encodeTensorMap,
        MethodHandle getDefaultPool,
        MethodHandle setPoolAttribute,
        MethodHandle setPoolAccess,
        MethodHandle trimPool) {
    /** {@code CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}. */
    private static final int RELEASE_THRESHOLD = 4;

    /** Values for {@code CUmemAccessDesc}: {@code CU_MEM_LOCATION_TYPE_DEVICE} and {@code PROT_READWRITE}. */
    private static final int LOCATION_DEVICE = 1;

    private static final int READ_AND_WRITE = 3;

    static DirectCalls of(NativeLibrary library) {
        return new DirectCalls(
                library.function(
                        "cuLaunchKernel",
                        JAVA_LONG,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_LONG,
                        ADDRESS,
                        ADDRESS),
                TensorMap.function(library),
                library.function("cuDeviceGetDefaultMemPool", ADDRESS, JAVA_INT),
                library.function("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS),
                library.function("cuMemPoolSetAccess", JAVA_LONG, ADDRESS, JAVA_LONG),
                library.function("cuMemPoolTrimTo", JAVA_LONG, JAVA_LONG));
    }

    /**
     * Launches a kernel.
     *
     * @param sharedBytes dynamic shared memory per block
     * @param parameters array of pointers to the parameter values; may be reused after the call
     */
    public void launch(
            Handles.Function kernel,
            int gridX,
            int gridY,
            int threads,
            int sharedBytes,
            Handles.Stream stream,
            MemorySegment parameters) {
        kernel.allow(sharedBytes);
        int result;
        try {
            result = (int) launchKernel.invokeExact(
                    kernel.address(),
                    gridX,
                    gridY,
                    1,
                    threads,
                    1,
                    1,
                    sharedBytes,
                    stream.address(),
                    parameters,
                    MemorySegment.NULL);
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
        Result.check("cuLaunchKernel", result);
    }

    /** Encodes a tensor map to memory of {@link TensorMap#BYTES} bytes. */
    public void encode(TensorMap matrix, MemorySegment map) {
        matrix.encode(encodeTensorMap, map);
    }

    /** Keeps freed memory in a device's default pool; otherwise every synchronization trims the pool. */
    public void keepReleasedMemory(int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment threshold = arena.allocateFrom(JAVA_LONG, -1L);
            Result.check("cuMemPoolSetAttribute", (int)
                    setPoolAttribute.invokeExact(defaultPool(arena, ordinal), RELEASE_THRESHOLD, threshold));
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /** Releases unused memory of a device's default pool to the driver, for other processes and against fragmentation. */
    public void releaseMemory(int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            Result.check("cuMemPoolTrimTo", (int) trimPool.invokeExact(defaultPool(arena, ordinal), 0L));
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /** Lets another device read and write all memory of a device's default pool. */
    public void openMemory(int ordinal, int toOrdinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment access = arena.allocateFrom(JAVA_INT, LOCATION_DEVICE, toOrdinal, READ_AND_WRITE);
            Result.check(
                    "cuMemPoolSetAccess", (int) setPoolAccess.invokeExact(defaultPool(arena, ordinal), access, 1L));
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    private long defaultPool(Arena arena, int ordinal) throws Throwable {
        MemorySegment pool = arena.allocate(JAVA_LONG);
        Result.check("cuDeviceGetDefaultMemPool", (int) getDefaultPool.invokeExact(pool, ordinal));
        return pool.get(JAVA_LONG, 0);
    }
}
