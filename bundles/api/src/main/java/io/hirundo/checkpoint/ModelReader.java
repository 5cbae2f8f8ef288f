package io.hirundo.checkpoint;

import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** A model on storage, open. */
@ConsumerType
public interface ModelReader extends AutoCloseable {
  /** Name and options of its architecture, as in a configuration. */
  Choice architecture();

  /** Published names of its tensors. */
  Set<String> paths();

  /**
   * Reads one tensor, or the piece of it that {@code part} describes, converting between floating types.
   *
   * @param dtype wanted
   * @param into host memory for {@code part.shape().byteSize(dtype)} bytes
   * @throws io.hirundo.DataException when the tensor is missing or its shape is not {@code part.globalShape()}; names it
   */
  void read(ParameterPart part, DType dtype, MemorySegment into);

  /**
   * What the stored model answers, by the definition of its format alone: computed in double precision, straight from the stored
   * tensors, with none of what a training computes with. Slow; for comparing a model that was loaded from here, or written here,
   * with what the files mean.
   *
   * @param tokens T of one sequence
   * @return logits after each token, [T][V]; empty where the format cannot tell
   */
  default Optional<double[][]> referenceLogits(int[] tokens) {
    return Optional.empty();
  }

  /**
   * The folder that the model lies in now. What is put into that of a model which was written but has not appeared yet appears with
   * it, whole or not at all.
   *
   * @return empty where a model is no folder, or nothing may be put into it before it appears
   */
  default Optional<Path> folder() {
    return Optional.empty();
  }

  /** What the model's folder says beside weights and architecture. Read when asked; the caller may keep it after closing. */
  default ModelNotes notes() {
    return ModelNotes.NONE;
  }

  @Override
  void close();
}
