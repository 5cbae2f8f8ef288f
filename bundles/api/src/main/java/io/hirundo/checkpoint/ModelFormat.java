package io.hirundo.checkpoint;

import io.hirundo.strategy.Choice;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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

  /** Whether models can be written in it: one that only reads refuses {@code write} with a ConfigurationException. */
  default boolean isWritable() {
    return true;
  }

  /**
   * Writes a model. The folder appears whole or not at all, replacing one that was there.
   *
   * @param architecture name and options, as in a configuration
   * @param parts all tensors of the model; called and written one by one, in order
   * @throws io.hirundo.StorageException when it cannot be written
   */
  void write(Path directory, Choice architecture, List<ModelPart> parts);

  /**
   * As {@link #write(Path, Choice, List)}, and looks at what was written. Whatever {@code check} throws ends the write; a format
   * that can looks before the folder appears, so that a model that is refused is not there.
   *
   * @param check is given the written model, which is closed after it
   */
  default void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
    write(directory, architecture, parts);
    try (ModelReader written = open(directory)) {
      check.accept(written);
    }
  }

  /**
   * Begins a write by several ranks, each of which asks with the same arguments and learns from them alone where everything will
   * be. Touches no storage.
   *
   * @param architecture name and options, as in a configuration
   * @param tensors all tensors of the model
   * @return empty where the format can only write a model as a whole
   */
  default Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
    return Optional.empty();
  }

  /**
   * Completes the folder of a model that was written and has not appeared yet ({@link ModelReader#folder}): ids of the tokens that
   * begin and end a text, generation settings, a model card. Formats without such files write nothing.
   *
   * @throws io.hirundo.StorageException when it cannot be written
   */
  default void describe(Path folder, ModelDescription description) {}
}
