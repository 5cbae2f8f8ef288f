package io.hirundo.lib.transformer.block;

import io.hirundo.model.Block;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** The first block: token embedding. Between the halves of the backward it saves the gradient of its output, nothing else. */
record EmbeddingBlock(EmbeddingLayer embedding) implements Block {
    private static final String OUTPUT_GRADIENT = "output.gradient";

    @Override
    public List<Parameter> parameters() {
        return embedding.parameters();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        return embedding.forward(context);
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        saved.put(OUTPUT_GRADIENT, dyTC);
        return null;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        embedding.backwardWeight(context, saved.get(OUTPUT_GRADIENT));
        saved.drop(OUTPUT_GRADIENT);
    }

    @Override
    public boolean backwardReadsParameters() {
        return false;
    }
}
