package io.hirundo.modelllama.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.lib.family.Fields;
import io.hirundo.lib.family.OptionsRecord;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Derives a Llama from the shapes of its tensors, and from settings for what shapes do not show. */
final class LlamaFromShapes {
    private static final String FIRST = "model.layers.0.";
    private static final List<String> REQUIRED =
            List.of("numAttentionHeads", "maxPositionEmbeddings", "rmsNormEps", "ropeTheta");
    private static final String SCALING = "ropeScaling";
    private static final List<String> ALLOWED =
            Stream.concat(REQUIRED.stream(), Stream.of(SCALING)).toList();
    private static final Set<String> DERIVED = Set.of(
            "vocabSize",
            "hiddenSize",
            "intermediateSize",
            "numHiddenLayers",
            "numKeyValueHeads",
            "headDim",
            "tieWordEmbeddings");

    /** Path of the settings in a configuration. */
    private static final String PATH = "model.format.options.architecture.options";

    private final Map<String, Shape> tensors;
    private final UnaryOperator<String> stored;
    private final Fields settings;
    private final String source;

    /** {@code stored}: stored name of a published one. */
    LlamaFromShapes(
            Map<String, Shape> tensors, UnaryOperator<String> stored, Map<String, Object> settings, String source) {
        this.tensors = tensors;
        this.stored = stored;
        this.settings = new Fields(settings, PATH, ConfigurationException::new);
        this.source = source;
    }

    /** Empty if the first block has tensors that no Llama has, or lacks some that every Llama has. */
    Optional<LlamaOptions> options() {
        if (!tensors.containsKey(stored.apply(LlamaTensors.EMBEDDING)) || !hasOwnBlock()) {
            return Optional.empty();
        }
        requireSettings();
        Shape embedding = shape(LlamaTensors.EMBEDDING);
        int layers = 0;
        while (tensors.containsKey(stored.apply("model.layers." + layers + ".input_layernorm.weight"))) {
            layers++;
        }
        int query = settings.whole("numAttentionHeads", 1, 0);
        int headDim = headDim(query);
        // The initial standard deviation is not used, because the weights are loaded.
        return Optional.of(new LlamaOptions(
                extent(embedding, 0),
                extent(embedding, 1),
                extent(shape(FIRST + "mlp.gate_proj.weight"), 0),
                layers,
                query,
                extent(shape(FIRST + "self_attn.k_proj.weight"), 0) / headDim,
                headDim,
                settings.whole("maxPositionEmbeddings", 1, 0),
                settings.positive("rmsNormEps", 0),
                settings.positive("ropeTheta", 0),
                settings.has(SCALING)
                        ? OptionsRecord.bind(
                                LlamaRopeScaling.class, settings.object(SCALING).values(), PATH + "." + SCALING)
                        : null,
                !tensors.containsKey(stored.apply(LlamaTensors.HEAD)),
                new LlamaOptions().initializerRange(),
                false,
                false,
                0));
    }

    private boolean hasOwnBlock() {
        String norm = stored.apply(FIRST + "input_layernorm.weight");
        String block = norm.substring(0, norm.indexOf(".0.") + 3);
        Set<String> own = LlamaTensors.of(new LlamaOptions(), stored, false).stream()
                .map(tensor -> tensor.name())
                .collect(Collectors.toSet());
        Set<String> found = tensors.keySet().stream()
                .filter(name -> name.startsWith(block) && !LlamaTensors.isIgnored(name))
                .collect(Collectors.toSet());
        return found.equals(own.stream().filter(name -> name.startsWith(block)).collect(Collectors.toSet()));
    }

    private void requireSettings() {
        settings.values().keySet().forEach(name -> requireAllowed(String.valueOf(name)));
        List<String> missing =
                REQUIRED.stream().filter(name -> !settings.has(name)).toList();
        if (!missing.isEmpty()) {
            throw new ConfigurationException(PATH + ": " + String.join(", ", missing)
                    + (missing.size() == 1 ? " is" : " are") + " missing: " + source
                    + " has no config.json, and shapes of tensors do not show them; set them (and " + SCALING
                    + " for Llama 3.1 to 3.3), or copy the model's config.json there");
        }
    }

    private void requireAllowed(String name) {
        if (!settings.has(name) || ALLOWED.contains(name)) {
            return;
        }
        String problem = "unknown key (allowed: " + String.join(", ", ALLOWED) + ")";
        if (DERIVED.contains(name)) {
            problem = "is derived from the shapes of the tensors; remove it";
        } else if (OptionsRecord.values(new LlamaOptions()).containsKey(name)) {
            problem =
                    "is not supported without a config.json; remove it, or copy the model's config.json to the folder of "
                            + source;
        }
        throw new ConfigurationException(PATH + "." + Excerpt.of(name) + ": " + problem);
    }

    private int headDim(int query) {
        int queryRows = extent(shape(FIRST + "self_attn.q_proj.weight"), 0);
        int keyRows = extent(shape(FIRST + "self_attn.k_proj.weight"), 0);
        int dim = queryRows / query;
        if (dim == 0
                || dim * query != queryRows
                || dim % 2 != 0
                || keyRows % dim != 0
                || query % (keyRows / dim) != 0) {
            throw new ConfigurationException(
                    PATH + ".numAttentionHeads is " + query + ", which does not fit queries of " + queryRows
                            + " and keys of " + keyRows + " channels of " + source);
        }
        return dim;
    }

    private Shape shape(String published) {
        Shape shape = tensors.get(stored.apply(published));
        if (shape == null || shape.rank() != 2) {
            throw new DataException(source + ": tensor '" + stored.apply(published)
                    + "' is missing or no matrix; fetch the model again");
        }
        return shape;
    }

    private int extent(Shape shape, int dim) {
        if (shape.dim(dim) < 1 || shape.dim(dim) > Integer.MAX_VALUE) {
            throw new DataException(source + ": a tensor is " + shape + ", which no Llama's is");
        }
        return (int) shape.dim(dim);
    }
}
