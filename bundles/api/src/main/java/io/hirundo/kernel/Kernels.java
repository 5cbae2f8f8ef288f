package io.hirundo.kernel;

import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * All kernels of one device, by family.
 *
 * <p>A device offers its families by the methods that return kernels. Those without {@code Optional} are the families that every device has:
 * a device that lacks one does not compile, and callers need no check. A device may lack the others, whose methods return an empty
 * {@code Optional} by default. {@link #find} is the lookup by type: it also finds families without a method here, which bundles bring. In a
 * run both give the same kernels.
 *
 * <p>Shape suffixes, here and in every family: T tokens of a microbatch (sequence after sequence), C hidden channels, F inner
 * channels of the MLP, V vocabulary, B sequences, S tokens of a sequence, H query heads, G key/value heads, D head dimension, E =
 * (H + 2 G) D, N output features, K input features, 1 a single element.
 *
 * <p>Rules for all kernels:
 * <ul>
 * <li>Tensors must be on the kernel's device.
 * <li>Floating tensors of one call share a dtype unless documented otherwise. Parameters and their gradients may be FP32 with
 * BF16 activations.
 * <li>Sums accumulate in at least FP32. Results do not depend on the number of workers.
 * <li>Operands must not alias unless documented.
 * <li>A wrong shape or dtype throws {@link IllegalArgumentException}, which names the operand.
 * </ul>
 */
@ConsumerType
public interface Kernels {
    GemmKernels gemm();

    NormKernels norm();

    AttentionKernels attention();

    GatedMlpKernels gatedMlp();

    EmbeddingKernels embedding();

    LossKernels loss();

    OptimizerKernels optimizer();

    ElementwiseKernels elementwise();

    /** Kernels of biases; empty if the device has none. */
    default Optional<BiasKernels> bias() {
        return Optional.empty();
    }

    /** Kernels of soft caps of logits; empty if the device has none. */
    default Optional<SoftCapKernels> softCap() {
        return Optional.empty();
    }

    /** Elementwise arithmetic of optimizers; empty if the device has none. */
    default Optional<ArithmeticKernels> arithmetic() {
        return Optional.empty();
    }

    /** AdamW with moments in 8 bits; empty if the device has none. */
    default Optional<AdamW8BitKernels> adamW8Bit() {
        return Optional.empty();
    }

    /** Stochastic rounding to BF16; empty if the device has none. */
    default Optional<StochasticRoundingKernels> stochasticRounding() {
        return Optional.empty();
    }

    /** Kernels of 8-bit matrices with block scales; empty if the device has none. */
    default Optional<BlockScaledKernels> blockScaled() {
        return Optional.empty();
    }

    /**
     * Kernels of 8-bit matrices with per-tensor scaling; empty if the device has none, or no {@link #blockScaled} to multiply them.
     */
    default Optional<MatrixScaledKernels> matrixScaled() {
        return Optional.empty();
    }

    /** Kernels that quantize sharded 8-bit matrices; empty if the device has none, or no {@link #blockScaled} to multiply them. */
    default Optional<PieceScaledKernels> pieceScaled() {
        return Optional.empty();
    }

    /**
     * The kernels of a family, our own or one that a bundle brings; empty if the device has none. In a run, bundles complete what a device
     * lacks, also with families of their own ({@code io.hirundo.kernel.provider.KernelProvider}). A device
     * brings only families of {@link KernelFamilies}: a run is rejected if a layer needs another one that only the device has. Layers look families
     * up when they are created, and say there which one they lack.
     *
     * @param family an interface
     */
    default <K> Optional<K> find(Class<K> family) {
        return KernelFamilies.find(this, family);
    }
}
