package io.hirundo.family;

import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * How models of a family are stored: configuration and tensor names, both ways, and a reference to check them with. Configurations
 * are the objects of a {@code config.json}: strings, numbers, booleans, lists and maps by name.
 *
 * @param <O> the options of the family's architecture
 */
@ConsumerType
public interface FamilyFormat<O extends Record> {
    /** Format of folders that the Transformers library reads. Folders of other formats may use its tensor names, too. */
    String HUGGING_FACE = "huggingface";

    /** Format of folders of torch.distributed.checkpoint. */
    String TORCH_DCP = "torch-dcp";

    /** The model format that it belongs to, as a strategy of kind {@code model-format} is named. */
    String format();

    /** Values of {@code model_type} that it reads, for messages and {@link #recognizes}. */
    Set<String> modelTypes();

    /** Whether a configuration describes a model of this family; not whether {@link #read} supports all of it. */
    default boolean recognizes(Map<String, Object> configuration) {
        return configuration.get("model_type") instanceof String type
                && modelTypes().contains(type);
    }

    /**
     * The options of a model.
     *
     * @param configuration one that it {@link #recognizes}
     * @param source where it is from, to begin messages with
     * @throws io.hirundo.DataException names the key that is wrong, or whose feature is not implemented
     */
    O read(Map<String, Object> configuration, String source);

    /**
     * Whether {@link #derive} is implemented: a family that overrides it must override this too. Otherwise folders without a configuration are
     * rejected, with the advice to copy one there.
     */
    default boolean derives() {
        return false;
    }

    /**
     * The options of a model that no configuration describes, from the shapes of its tensors, and from settings for what shapes do
     * not show.
     *
     * @param tensors shapes by {@link StoredTensor#name}
     * @param settings by the names of the architecture's options
     * @param source where the tensors are from, to begin messages with
     * @return empty if tensors of this family have other names
     * @throws io.hirundo.ConfigurationException names the settings that are missing or wrong
     */
    default Optional<O> derive(Map<String, Shape> tensors, Map<String, Object> settings, String source) {
        return Optional.empty();
    }

    /** The inverse of {@link #read}: a configuration, in the order to write it, without data type and token ids. */
    Map<String, Object> write(O options);

    /** The stored name of the token embedding. Every model of this format has it, so folders are searched for it. */
    String embedding();

    /** All tensors of a model, in the order of its layers. Each element of each parameter is in exactly one of them. */
    List<StoredTensor> tensors(O options);

    /**
     * Tensors that a folder may hold although the model does not need them, by name, with the tensor that they must equal: the head
     * of a model that ties it to the embedding.
     */
    default Map<String, String> copies(O options) {
        return Map.of();
    }

    /** Whether a folder may hold a tensor that is not read, for instance tables that follow from the options. */
    default boolean isIgnored(String name) {
        return false;
    }

    /**
     * Logits in FP64 by the family's published definition. It shares no code with the architecture's layers, and reads tensors by
     * their stored names and in their stored order, so that a comparison covers layers, {@link #read} and {@link #tensors}.
     *
     * @param tokens T tokens of one sequence
     * @return logits after each token, [T][V]
     */
    double[][] referenceLogits(O options, StoredValues tensors, int[] tokens);
}
