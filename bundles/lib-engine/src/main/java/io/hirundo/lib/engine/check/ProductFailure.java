package io.hirundo.lib.engine.check;

import io.hirundo.Reason;
import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.Shape;
import java.util.Locale;
import java.util.function.Supplier;

/** A precision threw where a layer's GEMM was tried. The message is one line that names GEMM, layer and shape. */
public final class ProductFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private ProductFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * A layer whose GEMMs are tried.
     *
     * @param name of the weight
     * @param weight [outputs, inputs], of this rank
     */
    public record Layer(String name, Shape weight) {
        /** @param tokens negative if they are not known */
        public ProductFailure failure(String what, long tokens, Throwable cause) {
            String rows = tokens < 0 ? "" : tokens + " tokens, ";
            String reason = Reason.of(cause);
            return new ProductFailure(
                    "it failed at " + what + " of " + name + " (" + rows + weight.dim(0) + " outputs, " + weight.dim(1)
                            + " inputs): " + reason.strip().replaceAll("\\p{Cntrl}+", " "),
                    cause);
        }

        /** Runs what belongs to a GEMM, or to several, as {@code what} says. */
        public <T> T attempt(String what, long tokens, Supplier<T> work) {
            try {
                return work.get();
            } catch (RuntimeException | LinkageError cause) {
                throw failure(what, tokens, cause);
            }
        }

        /** As {@link #attempt(String, long, Supplier)}, without a result. */
        public void attempt(String what, long tokens, Runnable work) {
            attempt(what, tokens, () -> {
                work.run();
                return null;
            });
        }
    }

    /** A GEMM as messages name it. */
    public static String nameOf(LinearProduct product) {
        return "the " + product.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
