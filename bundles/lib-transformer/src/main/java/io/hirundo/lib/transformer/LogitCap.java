package io.hirundo.lib.transformer;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.LayerScope;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.Set;

/**
 * The soft cap of a loss head's logits.
 *
 * @param kernels of the device
 */
public record LogitCap(SoftCapKernels kernels, double cap) {
    /** Replaces logits by their gradient. */
    @FunctionalInterface
    public interface LossGradient {
        void overwrite(Tensor logitsTV);
    }

    /** The families that a loss head looks up for its cap. */
    public static Set<Class<?>> kernels(LayerSpec.LossHead spec) {
        return spec.softCap().isPresent() ? Set.of(SoftCapKernels.class) : Set.of();
    }

    /**
     * The cap of a loss head; empty if it has none.
     *
     * @throws ConfigurationException if the device has no kernels for it
     */
    public static Optional<LogitCap> of(LayerSpec.LossHead spec, LayerScope scope) {
        if (spec.softCap().isEmpty()) {
            return Optional.empty();
        }
        var kernels = scope.device()
                .kernels()
                .find(SoftCapKernels.class)
                .orElseThrow(() -> new ConfigurationException(
                        "device: " + scope.device().info().name() + " has no SoftCapKernels, which layer " + spec.name()
                                + " needs; choose a device that has, cpu for instance"));
        return Optional.of(new LogitCap(kernels, spec.softCap().getAsDouble()));
    }

    /** Caps logits, in place. */
    public static void apply(Optional<LogitCap> cap, StepContext context, Tensor logitsTV) {
        cap.ifPresent(present -> present.kernels.cap(context.queue(), logitsTV, present.cap));
    }

    /** Memory for {@link #gradient}, of the logits of a chunk; null without a cap. */
    public static Tensor buffer(Optional<LogitCap> cap, StepContext context, Shape logits) {
        return cap.isPresent() ? context.allocate(logits) : null;
    }

    /**
     * Overwrites capped logits with the gradient of the logits before the cap.
     *
     * @param buffer of {@link #buffer}, at least as large
     * @param loss the gradient by the capped logits
     */
    public static void gradient(
            Optional<LogitCap> cap, StepContext context, Tensor logitsTV, Tensor buffer, LossGradient loss) {
        if (cap.isEmpty()) {
            loss.overwrite(logitsTV);
            return;
        }
        Tensor cappedTV = buffer.view(0, logitsTV.shape());
        context.device().kernels().elementwise().copy(context.queue(), logitsTV, cappedTV);
        loss.overwrite(logitsTV);
        cap.get().kernels.gradient(context.queue(), cappedTV, cap.get().cap, logitsTV);
    }
}
