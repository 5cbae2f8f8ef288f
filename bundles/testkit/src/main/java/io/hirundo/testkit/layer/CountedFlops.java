package io.hirundo.testkit.layer;

import io.hirundo.device.Device;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.model.Tokens;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Substitute;
import java.util.Optional;

/** Counts the FLOPs of GEMMs and attention on a device, as {@link io.hirundo.model.LayerSpec#modelFlops} counts them. */
final class CountedFlops {
    private double flops;

    double flops() {
        return flops;
    }

    /** The device with kernels that count. */
    Device on(Device device) {
        return Substitute.like(Device.class, device, "kernels", (real, none) -> kernels((Kernels) real.call()));
    }

    private Kernels kernels(Kernels real) {
        Kernels gemm = Substitute.like(Kernels.class, real, "gemm", (call, none) -> gemm(real.gemm()));
        Kernels attention =
                Substitute.like(Kernels.class, gemm, "attention", (call, none) -> attention(real.attention()));
        return Substitute.like(Kernels.class, attention, "find", (call, family) -> {
            if (family[0] == GemmKernels.class) {
                return Optional.of(gemm(real.gemm()));
            }
            return family[0] == AttentionKernels.class ? Optional.of(attention(real.attention())) : call.call();
        });
    }

    private GemmKernels gemm(GemmKernels real) {
        GemmKernels counted = real;
        for (String name : new String[] {"multiplyNT", "multiplyNN", "multiplyTN"}) {
            counted = Substitute.like(GemmKernels.class, counted, name, (call, operands) -> {
                Tensor a = (Tensor) operands[1];
                Tensor c = (Tensor) operands[3];
                flops += 2.0 * c.elements() * a.elements() / c.shape().rows();
                return call.call();
            });
        }
        return counted;
    }

    /** Two GEMMs forward, four backward, over pairs that no mask hides. */
    private AttentionKernels attention(AttentionKernels real) {
        AttentionKernels forward = Substitute.like(AttentionKernels.class, real, "forward", (call, operands) -> {
            flops += 4 * pairChannels((AttentionShape) operands[1]);
            return call.call();
        });
        return Substitute.like(AttentionKernels.class, forward, "backward", (call, operands) -> {
            flops += 8 * pairChannels((AttentionShape) operands[1]);
            return call.call();
        });
    }

    private static double pairChannels(AttentionShape shape) {
        Tokens tokens = Tokens.causal(shape.sequences(), shape.queryTokens())
                .within(shape.options().window());
        return tokens.attendedPairs() * shape.heads().outputChannels();
    }
}
