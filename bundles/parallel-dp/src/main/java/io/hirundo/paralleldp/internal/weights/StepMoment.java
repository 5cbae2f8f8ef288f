package io.hirundo.paralleldp.internal.weights;

import java.util.List;

/**
 * What is in memory at the same time in a step: weights of layouts, by index, and gradients.
 *
 * @param gathered whose weights are gathered, or being gathered
 * @param onTheirWay those of them whose gather has not ended
 * @param gradients that are not held between steps
 */
public record StepMoment(List<Integer> gathered, List<Integer> onTheirWay, Gradients gradients) {
    /**
     * Memory of gradients in bytes.
     *
     * @param bytes of all
     * @param largestBytes of the largest tensor
     */
    public record Gradients(long bytes, long largestBytes) {
        public static final Gradients NONE = new Gradients(0, 0);

        /** Of tensors of so many bytes. */
        public static Gradients of(List<Long> tensorBytes) {
            List<Long> allocated = tensorBytes.stream().map(FormCost::allocated).toList();
            return new Gradients(
                    allocated.stream().mapToLong(Long::longValue).sum(),
                    allocated.stream().mapToLong(Long::longValue).max().orElse(0));
        }

        /** These and others at once. */
        public Gradients and(Gradients others) {
            return new Gradients(bytes + others.bytes, Math.max(largestBytes, others.largestBytes));
        }
    }

    public StepMoment {
        gathered = List.copyOf(gathered);
        onTheirWay = List.copyOf(onTheirWay);
    }

    /** Its weights alone. */
    public StepMoment withoutGradients() {
        return new StepMoment(gathered, onTheirWay, Gradients.NONE);
    }
}
