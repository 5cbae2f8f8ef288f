package io.hirundo.checkpoint;

import io.hirundo.strategy.Choice;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/** A model exchange format, for instance Hugging Face folders. Strategy kind {@code model-format}. */
@ConsumerType
public interface ModelFormat {
    /**
     * Opens a model and checks names, shapes, dtypes and byte ranges of all its tensors. The caller closes it.
     *
     * @throws io.hirundo.DataException names the file, and the wrong tensor
     */
    ModelReader open(Path directory);

    /** Whether models can be written. If false, {@code write} throws a ConfigurationException. */
    default boolean isWritable() {
        return true;
    }

    /**
     * Writes a model. The folder appears atomically and replaces an existing one.
     *
     * @param architecture name and options, as in a configuration
     * @param parts all tensors of the model, downloaded and written one by one, in order
     * @throws io.hirundo.StorageException if it cannot be written
     */
    void write(Path directory, Choice architecture, List<ModelPart> parts);

    /**
     * Like {@link #write(Path, Choice, List)}, and checks the result. If {@code check} throws, the write fails. Formats that can do
     * so call {@code check} before the folder appears, so that a rejected model never appears.
     *
     * @param check receives the written model, which is closed afterwards
     */
    default void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
        write(directory, architecture, parts);
        try (ModelReader written = open(directory)) {
            check.accept(written);
        }
    }

    /**
     * Begins a write by several ranks. All ranks pass the same arguments; file names and offsets follow from the arguments. Touches
     * no storage.
     *
     * @param architecture name and options, as in a configuration
     * @param tensors all tensors of the model
     * @return empty if the format can only write a model from one rank
     */
    default Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
        return Optional.empty();
    }

    /**
     * Adds metadata to the folder of a written model before it appears ({@link ModelReader#folder}): begin and end token ids,
     * generation settings, a model card. Formats without such files write nothing.
     *
     * @throws io.hirundo.StorageException if it cannot be written
     */
    default void describe(Path folder, ModelDescription description) {}
}
