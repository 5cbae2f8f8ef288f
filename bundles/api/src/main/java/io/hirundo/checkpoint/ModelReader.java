package io.hirundo.checkpoint;

import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** An open model on storage. */
@ConsumerType
public interface ModelReader extends AutoCloseable {
    /** Name and options of its architecture, as in a configuration. */
    Choice architecture();

    /** Published names of its tensors. */
    Set<String> paths();

    /**
     * Reads a tensor, or the slice that {@code part} describes, and converts between floating dtypes.
     *
     * @param dtype of the result
     * @param into host memory of {@code part.shape().byteSize(dtype)} bytes
     * @throws io.hirundo.DataException if the tensor is missing or its shape differs from {@code part.globalShape()}; names it
     */
    void read(ParameterPart part, DType dtype, MemorySegment into);

    /**
     * Reference logits in FP64, computed directly from the stored tensors by the format's own definition, without any training
     * code. Slow. The parity check after loading or exporting a model compares against them.
     *
     * @param tokens T tokens of one sequence
     * @return logits after each token, [T][V]; empty if the format has no reference
     */
    default Optional<double[][]> referenceLogits(int[] tokens) {
        return Optional.empty();
    }

    /**
     * The folder that contains the model. Files added before a written model appears become visible together with it.
     *
     * @return empty if the model is not a folder, or files cannot be added before it appears
     */
    default Optional<Path> folder() {
        return Optional.empty();
    }

    /** Metadata of the model folder. Read on each call; the caller may keep it after {@link #close}. */
    default ModelNotes notes() {
        return ModelNotes.NONE;
    }

    @Override
    void close();
}
