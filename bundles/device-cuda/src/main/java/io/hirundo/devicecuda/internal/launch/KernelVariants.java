package io.hirundo.devicecuda.internal.launch;

/**
 * Which variants of kernels run instead of those that came before them. All compute the same bits. They are off until a GPU has timed
 * both.
 *
 * @param persistentAttention the attention forward on warpgroups has persistent blocks, one for each multiprocessor, which compute many
 *     query tiles each
 * @param doubleBufferedDq the attention backward on warpgroups has two buffers for dQ in shared memory
 * @param wideGemm warpgroups of the own BF16 GEMMs multiply 64 x 256 tiles of the result, not 128 x 128
 */
public record KernelVariants(boolean persistentAttention, boolean doubleBufferedDq, boolean wideGemm) {
    public static final KernelVariants NONE = new KernelVariants(false, false, false);
}
