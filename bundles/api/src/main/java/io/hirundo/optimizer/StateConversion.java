package io.hirundo.optimizer;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Computes state tensors of an optimizer from tensors that hold the same state in another form, for instance moments in 8 bits from FP32. The trainer
 * converts where a checkpoint, or the optimizer before a swap, has the other form alone.
 */
@ConsumerType
public interface StateConversion {
    /** The other form: at least one tensor. */
    List<StateSpec> from();

    /** Tensors of the optimizer, as {@link Optimizer#declaredState} lists them for the parameter. */
    List<StateSpec> to();

    /**
     * Converts elements that follow each other in the rows of a published tensor. A pure function, in which no block depends on another one: the trainer
     * passes any number of blocks at a time, and on other ranks others.
     *
     * @param elements of the parameter; a multiple of each {@link StateSpec#block}
     * @param from host memory of {@link #from}, in its order and dtypes, little-endian; read only
     * @param to host memory of {@link #to}, likewise, to be filled
     */
    void convert(long elements, List<MemorySegment> from, List<MemorySegment> to);
}
