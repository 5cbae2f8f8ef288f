package org.example.relu;

import io.hirundo.model.Block;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Another block, and the ReLU of its output. */
record ReluBlock(Block base, Relu.Running relu) implements Block {
    private static final String INPUT = "relu";

    @Override
    public List<Parameter> parameters() {
        return base.parameters();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        Tensor zTC = base.forward(context, xTC, saved);
        Tensor yTC = context.allocate(zTC.shape());
        relu.kernels().forward(context.queue(), zTC, yTC);
        if (saved == null) {
            zTC.close();
        } else {
            saved.put(INPUT, zTC);
        }
        return yTC;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        Tensor dzTC = context.allocate(dyTC.shape());
        relu.kernels().backward(context.queue(), saved.get(INPUT), dyTC, dzTC);
        dyTC.close();
        saved.drop(INPUT);
        return base.backwardInput(context, xTC, dzTC, saved);
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        base.backwardWeight(context, xTC, saved);
    }
}
