package io.hirundo.checkpoint;

import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
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

  @Override
  void close();
}
