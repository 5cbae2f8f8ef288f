package io.hirundo.devicecpu.internal;

import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.strategy.Setting;

/** Options of the device {@code cpu}. */
public record CpuOptions(
        @Setting(
                value = "worker threads of a device, the calling one included; 0 for all cores, shared among the ranks",
                min = 0,
                max = 1024)
        int workers,

        @Setting(
                value = "which kernels compute",
                allowed = {VECTOR, REFERENCE})
        String kernels,

        @Setting(
                "what multiplies matrices: auto a library for the types that it multiplies faster (by the bundle gemm-onednn BF16 where the "
                        + "processor has instructions for it, and FP32 on AVX2 without AVX-512 or with AMX), vector the Vector API (the same bits on every "
                        + "machine), onednn this library or an error")
        String gemm) {
    /** Kernels of the Vector API. */
    public static final String VECTOR = "vector";

    /** The scalar reference kernels: slow, and as simple as the formulas. */
    public static final String REFERENCE = "reference";

    public CpuOptions() {
        this(0, VECTOR);
    }

    public CpuOptions(int workers, String kernels) {
        this(workers, kernels, GemmChoice.AUTO);
    }

    /** Workers of a device where this many ranks share the cores, unless their number is given: at least one each. */
    int workerCount(int ranks) {
        return workers == 0 ? Math.max(1, Runtime.getRuntime().availableProcessors() / ranks) : workers;
    }
}
