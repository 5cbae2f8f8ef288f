package io.hirundo.devicecuda.internal;

import io.hirundo.devicecuda.internal.launch.KernelVariants;
import io.hirundo.strategy.Setting;

/** Options of the device {@code cuda}. */
public record CudaOptions(
        @Setting(
                "folder of the CUDA toolkit, or of the package that holds libnvrtc; where it is not there, the loader looks")
        String toolkit,

        @Setting("folder that keeps compiled kernels from run to run; \"\" for the one of the hirundo script")
        String kernelCache,

        @Setting(
                value =
                        "GPU that all ranks of the process take; -1 to share out the machine's among ranks and processes",
                min = -1,
                max = 1023)
        int ordinal,

        @Setting(
                value =
                        "what multiplies matrices: the library cublasLt, or the own kernels, with tensor cores for BF16 and E4M3 alone; auto for cublasLt where it is",
                allowed = {AUTO, CUBLASLT, OWN})
        String gemm,

        @Setting(
                value =
                        "what BF16 attention with tensor cores is computed by: warpgroups that multiply from shared memory (wgmma and TMA), or warps (mma.sync)",
                allowed = {WARPGROUPS, WARPS})
        String attention,

        @Setting(
                "whether kernels that are the same in each step go to the GPU in CUDA graphs; the memory of a step then stays taken")
        boolean graphs,

        @Setting(
                "whether the attention forward on warpgroups has persistent blocks, which compute many query tiles each; same results, not timed yet")
        boolean persistentAttention,

        @Setting(
                "whether the attention backward on warpgroups has two buffers for dQ in shared memory; same results, not timed yet")
        boolean doubleBufferedDq,

        @Setting(
                "whether warpgroups of the own BF16 GEMMs multiply 64 x 256 tiles instead of 128 x 128; same results, not timed yet")
        boolean wideGemm) {
    public static final String AUTO = "auto";
    public static final String CUBLASLT = "cublaslt";
    public static final String OWN = "own";
    public static final String WARPGROUPS = "warpgroups";
    public static final String WARPS = "warps";

    public CudaOptions() {
        this("/usr/local/cuda", "", -1, AUTO, WARPGROUPS, false, false, false, false);
    }

    boolean attendsOnWarpgroups() {
        return attention.equals(WARPGROUPS);
    }

    KernelVariants variants() {
        return new KernelVariants(persistentAttention, doubleBufferedDq, wideGemm);
    }
}
