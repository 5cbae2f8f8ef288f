package io.hirundo.devicecuda.internal.cublas;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.NativeLibrary;
import io.hirundo.devicecuda.internal.driver.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;

/** NVIDIA's GEMM library {@code libcublasLt}. Handles and device addresses are passed as integers. Thread-safe. */
public final class CublasLt {
    /** {@code cublasLtMatmulHeuristicResult_t}: an algorithm and its requirements. */
    static final MemoryLayout HEURISTIC_RESULT = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(8, JAVA_LONG).withName("algo"),
            JAVA_LONG.withName("workspaceSize"),
            JAVA_INT.withName("state"),
            JAVA_FLOAT.withName("wavesCount"),
            MemoryLayout.sequenceLayout(4, JAVA_INT).withName("reserved"));

    /** Values of {@code cublasLtMatmulDescAttributes_t}. */
    static final int TRANSPOSE_A = 3;

    static final int TRANSPOSE_B = 4;
    static final int SCALE_POINTER_A = 17;
    static final int SCALE_POINTER_B = 18;
    static final int FAST_ACCUMULATION = 25;
    static final int SCALE_MODE_A = 31;
    static final int SCALE_MODE_B = 32;

    /** Values of {@code cublasLtMatmulPreferenceAttributes_t}; the alignments of b, c and d follow that of a. */
    static final int MAX_WORKSPACE_BYTES = 1;

    static final int REDUCTION_SCHEMES = 3;
    static final int ALIGNMENT_A = 5;

    /** Value of {@code cublasLtReductionScheme_t}: split-K partial sums are in FP32 instead of the result type. */
    static final int REDUCED_AS_COMPUTED = 2;

    private static final int ARCH_MISMATCH = 8;
    private static final int NOT_SUPPORTED = 15;
    private static final int COMPUTE_FP32 = 68;

    /** Version 12.9 in the library's numbering. */
    private static final long BLOCK_SCALES = 120_900;

    private final NativeLibrary library;
    private final long version;
    private final MethodHandle create;
    private final MethodHandle descriptorCreate;
    private final MethodHandle descriptorSet;
    private final MethodHandle layoutCreate;
    private final MethodHandle preferenceCreate;
    private final MethodHandle preferenceSet;
    private final MethodHandle heuristic;
    private final MethodHandle multiply;

    private CublasLt(NativeLibrary library) {
        this.library = library;
        create = library.function("cublasLtCreate", ADDRESS);
        descriptorCreate = library.function("cublasLtMatmulDescCreate", ADDRESS, JAVA_INT, JAVA_INT);
        descriptorSet = library.function("cublasLtMatmulDescSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        layoutCreate =
                library.function("cublasLtMatrixLayoutCreate", ADDRESS, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        preferenceCreate = library.function("cublasLtMatmulPreferenceCreate", ADDRESS);
        preferenceSet =
                library.function("cublasLtMatmulPreferenceSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        heuristic = library.function(
                "cublasLtMatmulAlgoGetHeuristic",
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                ADDRESS,
                ADDRESS);
        multiply = library.function(
                "cublasLtMatmul",
                JAVA_LONG,
                JAVA_LONG,
                ADDRESS,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                ADDRESS,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG,
                ADDRESS,
                JAVA_LONG,
                JAVA_LONG,
                JAVA_LONG);
        try {
            version = (long) library.function("cublasLtGetVersion", FunctionDescriptor.of(JAVA_LONG))
                    .invokeExact();
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /** Candidate paths; see {@link NativeLibrary#candidates}. */
    public static List<String> candidates(String toolkit, int driverVersion) {
        return NativeLibrary.candidates("libcublasLt", "cublas", toolkit, driverVersion);
    }

    public static Optional<CublasLt> open(List<String> candidates) {
        return NativeLibrary.open(candidates).map(CublasLt::new);
    }

    /** For example {@code 13.0 (libcublasLt.so.13)}. */
    public String version() {
        return version / 10_000 + "." + version % 10_000 / 100 + " (" + library.name() + ")";
    }

    /** Whether it supports block-scaled FP8 matrices. */
    public boolean hasBlockScales() {
        return version >= BLOCK_SCALES;
    }

    /** Creates a handle for the current context; close it by {@link #destroy}. */
    public long handle() {
        return made("cublasLtCreate", out -> (int) create.invokeExact(out));
    }

    /** A descriptor for FP32 accumulation, with FP32 alpha and beta on the host. */
    long descriptor() {
        return made("cublasLtMatmulDescCreate", out ->
                (int) descriptorCreate.invokeExact(out, COMPUTE_FP32, CublasLtGemm.FP32));
    }

    /** The layout of a column-major matrix without padding. */
    long layout(CublasLtGemm.Matrix matrix) {
        return made("cublasLtMatrixLayoutCreate", out ->
                (int) layoutCreate.invokeExact(out, matrix.type(), matrix.rows(), matrix.columns(), matrix.rows()));
    }

    long preference() {
        return made("cublasLtMatmulPreferenceCreate", out -> (int) preferenceCreate.invokeExact(out));
    }

    void setDescriptor(long descriptor, int attribute, MemorySegment value) {
        check("cublasLtMatmulDescSetAttribute", () ->
                (int) descriptorSet.invokeExact(descriptor, attribute, value, value.byteSize()));
    }

    void setPreference(long preference, int attribute, MemorySegment value) {
        check("cublasLtMatmulPreferenceSetAttribute", () ->
                (int) preferenceSet.invokeExact(preference, attribute, value, value.byteSize()));
    }

    /**
     * Finds the algorithm that the library's heuristic prefers.
     *
     * @param result a {@link #HEURISTIC_RESULT}
     * @return false if there is none
     * @throws DeviceException for any other failure
     */
    boolean find(long handle, long descriptor, long a, long b, long d, long preference, MemorySegment result) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(JAVA_INT);
            int status = (int) heuristic.invokeExact(handle, descriptor, a, b, d, d, preference, 1, result, found);
            if (status != NOT_SUPPORTED && status != ARCH_MISMATCH) {
                check("cublasLtMatmulAlgoGetHeuristic", () -> status);
            }
            return status == 0 && found.get(JAVA_INT, 0) > 0 && CublasLtPlan.state(result) == 0;
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /** Calls {@code cublasLtMatmul} with C equal to D. {@code a}, {@code b}, {@code d} are addresses. */
    void multiply(
            long handle,
            CublasLtPlan plan,
            MemorySegment alpha,
            long a,
            long b,
            MemorySegment beta,
            long d,
            long workspace,
            long stream) {
        check("cublasLtMatmul", () -> (int) multiply.invokeExact(
                handle,
                plan.descriptor(),
                alpha,
                a,
                plan.layoutA(),
                b,
                plan.layoutB(),
                beta,
                d,
                plan.layoutD(),
                d,
                plan.layoutD(),
                plan.algorithm(),
                workspace,
                plan.workspaceBytes(),
                stream));
    }

    /**
     * Destroys an object of the library.
     *
     * @param kind for example {@code cublasLtMatrixLayout}; {@code cublasLt} for a handle
     */
    public void destroy(String kind, long thing) {
        check(kind + "Destroy", () ->
                (int) library.function(kind + "Destroy", JAVA_LONG).invokeExact(thing));
    }

    /** Describes a value of {@code cublasStatus_t}. */
    private static String describe(int status) {
        return switch (status) {
            case 1 -> " (not initialized)";
            case 3 -> " (no memory)";
            case 7 -> " (invalid value)";
            case ARCH_MISMATCH -> " (architecture mismatch)";
            case 11 -> " (mapping error)";
            case 13 -> " (execution failed)";
            case 14 -> " (internal error)";
            case NOT_SUPPORTED -> " (not supported)";
            default -> "";
        };
    }

    @FunctionalInterface
    private interface Call {
        int run() throws Throwable;
    }

    @FunctionalInterface
    private interface Maker {
        int run(MemorySegment out) throws Throwable;
    }

    private static long made(String call, Maker maker) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            check(call, () -> maker.run(out));
            return out.get(JAVA_LONG, 0);
        }
    }

    private static void check(String call, Call function) {
        int status;
        try {
            status = function.run();
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
        if (status != 0) {
            throw new DeviceException("cuBLASLt: " + call + " failed with " + status + describe(status));
        }
    }
}
