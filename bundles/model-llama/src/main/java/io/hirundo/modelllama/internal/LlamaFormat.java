package io.hirundo.modelllama.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import io.hirundo.tensor.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A format of Llamas.
 *
 * @param format the model format that it belongs to
 * @param stored stored name of a tensor that is published under Hugging Face's name
 * @param pairs channels of a stored head that the rotary embedding pairs
 */
record LlamaFormat(String format, UnaryOperator<String> stored, RotaryPairs pairs)
        implements FamilyFormat<LlamaOptions> {
    /** Names of the Transformers library. */
    static final LlamaFormat HUGGING_FACE =
            new LlamaFormat(FamilyFormat.HUGGING_FACE, UnaryOperator.identity(), RotaryPairs.HALVES);

    /** Names and heads of Meta's code and torchtitan. */
    static final LlamaFormat TORCHTITAN =
            new LlamaFormat(FamilyFormat.TORCH_DCP, TorchtitanNames::stored, RotaryPairs.ADJACENT);

    @Override
    public Set<String> modelTypes() {
        return LlamaConfigJson.TYPES;
    }

    @Override
    public LlamaOptions read(Map<String, Object> configuration, String source) {
        LlamaOptions options = LlamaConfigJson.read(configuration, source);
        if (pairs == RotaryPairs.ADJACENT && options.attentionBias()) {
            throw new DataException(source
                    + ": 'attention_bias' is true, but biases of interleaved heads are not supported; convert the tensors to Hugging Face's"
                    + " names first");
        }
        return options;
    }

    @Override
    public boolean derives() {
        return true;
    }

    @Override
    public Optional<LlamaOptions> derive(Map<String, Shape> tensors, Map<String, Object> settings, String source) {
        return new LlamaFromShapes(tensors, stored, settings, source).options();
    }

    @Override
    public Map<String, Object> write(LlamaOptions options) {
        if (pairs == RotaryPairs.ADJACENT && options.slidingWindow() > 0) {
            throw new ConfigurationException("model.exportFormat: '" + format
                    + "' has no sliding window, so its readers would compute another function"
                    + " (allowed for slidingWindow above 0: " + FamilyFormat.HUGGING_FACE + "); set model.exportFormat="
                    + FamilyFormat.HUGGING_FACE);
        }
        return LlamaConfigJson.write(options);
    }

    @Override
    public String embedding() {
        return stored.apply(LlamaTensors.EMBEDDING);
    }

    @Override
    public List<StoredTensor> tensors(LlamaOptions options) {
        return LlamaTensors.of(options, stored, pairs == RotaryPairs.ADJACENT);
    }

    @Override
    public Map<String, String> copies(LlamaOptions options) {
        return LlamaTensors.copies(options, stored);
    }

    @Override
    public boolean isIgnored(String name) {
        return LlamaTensors.isIgnored(name);
    }

    @Override
    public double[][] referenceLogits(LlamaOptions o, StoredValues tensors, int[] tokens) {
        var heads = LlamaSizes.of(o).heads();
        return new TransformerReference(
                        new TransformerReference.Sizes(
                                o.vocabSize(),
                                o.hiddenSize(),
                                o.intermediateSize(),
                                o.numHiddenLayers(),
                                o.rmsNormEps(),
                                o.tieWordEmbeddings()),
                        new TransformerReference.Heads(
                                heads.query(), heads.keyValue(), heads.dim(), false, o.slidingWindow(), 0),
                        LlamaConfigJson.rope(o),
                        new TransformerReference.Storage(stored, pairs, biased(o)),
                        tensors)
                .logits(tokens);
    }

    private static Set<String> biased(LlamaOptions options) {
        var biased = new HashSet<String>();
        if (options.attentionBias()) {
            biased.addAll(List.of("q_proj", "k_proj", "v_proj", "o_proj"));
        }
        if (options.mlpBias()) {
            biased.addAll(List.of("gate_proj", "up_proj", "down_proj"));
        }
        return biased;
    }
}
