package io.hirundo.lib.optimizer;

import io.hirundo.kernel.optimizer.StochasticRounding;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Places;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Rounding;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Divides a piece at the borders of published tensors, whose names and indices determine the random bits, in every layout the same. */
final class RoundedPlaces {
    private RoundedPlaces() {}

    static List<Rounding> of(UpdatePiece piece, long seed, long step) {
        Tensor weights = CopiedWeights.weights(piece);
        long begin = piece.parameter().firstElement() + piece.first();
        long end = begin + piece.valueN().elements();
        var roundings = new ArrayList<Rounding>();
        long partBegin = 0;
        for (ParameterPart part : piece.parameter().spec().parts()) {
            long partEnd = partBegin + part.shape().elements();
            long from = Math.max(begin, partBegin);
            long to = Math.min(end, partEnd);
            if (from < to) {
                Shape run = Shape.of(to - from);
                Places places = places(part, from - partBegin, StochasticRounding.key(seed, part.path(), step));
                roundings.add(
                        new Rounding(piece.valueN().view(from - begin, run), weights.view(from - begin, run), places));
            }
            partBegin = partEnd;
        }
        return roundings;
    }

    /** {@code element}: of the part, where the run begins. */
    private static Places places(ParameterPart part, long element, long key) {
        if (part.shape().rank() == 1) {
            return Places.consecutive(key, part.offset().getFirst() + element);
        }
        long columns = part.shape().dim(1);
        long stride = part.globalShape().dim(1);
        long row = part.offset().getFirst() + element / columns;
        return new Places(key, row * stride + part.offset().getLast(), element % columns, columns, stride);
    }
}
