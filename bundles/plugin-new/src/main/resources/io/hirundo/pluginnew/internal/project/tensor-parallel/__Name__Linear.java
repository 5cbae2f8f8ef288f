package __package__;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A linear layer with this rank's part of a weight, [N, K]. Suffixes: T tokens, K input channels, N output channels.
 *
 * @param matrix the part, with the GEMMs of the precision strategy
 * @param byInputs whether ranks have other input channels, so that outputs are sums over ranks; else they have other output channels, and
 *     input gradients are sums over ranks
 */
record __Name__Linear(LocalMatrix matrix, ProcessGroup group, boolean byInputs) implements LinearLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix.weight());
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTK) {
        Tensor yTN = context.allocate(Shape.of(xTK.shape().dim(0), extent(0)));
        matrix.forward(context.queue(), xTK, yTN);
        if (byInputs) {
            sum(context, yTN);
        }
        return yTN;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor dyTN) {
        Tensor dxTK = inputs(context, dyTN);
        matrix.inputGradient(context.queue(), dyTN, dxTK);
        return summed(context, dxTK);
    }

    /** Complete on each rank: its elements are no other rank's. */
    @Override
    public void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK) {
        matrix.weightGradient(context.queue(), dyTN, xTK);
    }

    /** Reads dy once for both gradients if the precision strategy can. */
    @Override
    public Tensor backward(StepContext context, Tensor dyTN, Tensor xTK) {
        Tensor dxTK = inputs(context, dyTN);
        matrix.bothGradients(context.queue(), dyTN, xTK, dxTK);
        return summed(context, dxTK);
    }

    private Tensor inputs(StepContext context, Tensor dyTN) {
        return context.allocate(Shape.of(dyTN.shape().dim(0), extent(1)));
    }

    private Tensor summed(StepContext context, Tensor dxTK) {
        if (!byInputs) {
            sum(context, dxTK);
        }
        return dxTK;
    }

    /** The host does not wait: later work of the queue does. */
    private void sum(StepContext context, Tensor rows) {
        context.queue()
                .await(group.allReduce(context.queue(), rows, Reduction.SUM).event());
    }

    private long extent(int dim) {
        return matrix.weight().spec().shape().dim(dim);
    }
}
