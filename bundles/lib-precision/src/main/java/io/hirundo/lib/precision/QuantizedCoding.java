package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.function.Function;

/**
 * Quantizes a sharded weight with {@link ScaleBlock#SQUARE} scaling.
 *
 * @param prepared returns its argument, or allocates if that is null
 */
record QuantizedCoding(
        Device device,
        LinearShape linear,
        DType codeType,
        WeightPieces pieces,
        Function<PreparedWeight, QuantizedWeight> prepared)
        implements WeightCoding {
    @Override
    public Shape magnitudes() {
        return ScaleBlock.SQUARE.scales(linear.outputs(), linear.inputs());
    }

    @Override
    public void measure(Queue queue, Tensor run, long firstElement, Tensor magnitudes) {
        pieces.kernels().measure(queue, of(run, firstElement), magnitudes);
    }

    @Override
    public void encode(Queue queue, Tensor run, long firstElement, Tensor magnitudes, Tensor codes) {
        pieces.kernels().quantize(queue, of(run, firstElement), magnitudes, pieces.rule(), codes);
    }

    private MatrixRun of(Tensor run, long firstElement) {
        return new MatrixRun(run, firstElement, linear.outputs(), linear.inputs());
    }

    @Override
    public PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse) {
        QuantizedWeight made = prepared.apply(reuse);
        ScaledMatrix rows = made.rows().scaled();
        for (CodedWeight.Run run : weight.runs()) {
            Shape extents = Shape.of(run.codes().elements());
            device.kernels()
                    .elementwise()
                    .copy(queue, run.codes(), rows.codesMK().view(run.firstElement(), extents));
        }
        pieces.kernels()
                .complete(
                        queue,
                        weight.magnitudes(),
                        pieces.rule(),
                        rows,
                        made.columns().scaled());
        return made;
    }
}
