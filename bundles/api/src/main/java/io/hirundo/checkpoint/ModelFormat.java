package io.hirundo.checkpoint;

import io.hirundo.strategy.Choice;
import java.nio.file.Path;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** A format in which models are exchanged, Hugging Face folders for instance. Strategy kind {@code model-format}. */
@ConsumerType
public interface ModelFormat {
  /**
   * Opens a model and checks it: names, shapes, data types and ranges of all its tensors. The caller closes it.
   *
   * @throws io.hirundo.DataException names the file, and the tensor where one is wrong
   */
  ModelReader open(Path directory);

  /**
   * Writes a model. The folder appears whole or not at all, replacing one that was there.
   *
   * @param architecture name and options, as in a configuration
   * @param parts all tensors of the model; called and written one by one, in order
   * @throws io.hirundo.StorageException when it cannot be written
   */
  void write(Path directory, Choice architecture, List<ModelPart> parts);
}
