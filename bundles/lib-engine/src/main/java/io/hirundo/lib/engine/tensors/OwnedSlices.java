package io.hirundo.lib.engine.tensors;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The rectangles of published tensors that a parameter, or a run of its elements, holds. A run that begins and ends within
 * rows is a partial row, full rows, and a partial row.
 */
public final class OwnedSlices {
    /**
     * One rectangle.
     *
     * @param part its place in the published tensor
     * @param offset of its first element in the run's tensors, in elements
     */
    public record Piece(ParameterPart part, long offset) {
        /** Its elements in a tensor of the run: values, gradients or an optimizer moment. */
        public Tensor in(Tensor run) {
            return run.view(offset, part.shape());
        }
    }

    private OwnedSlices() {}

    /** In element order. */
    public static List<Piece> of(Parameter run) {
        return of(run, Long.MAX_VALUE);
    }

    /** As {@link #of(Parameter)}, with at most so many elements per rectangle. */
    public static List<Piece> of(Parameter run, long mostElements) {
        var pieces = new ArrayList<Piece>();
        long runBegin = run.firstElement();
        long runEnd = runBegin + run.value().elements();
        long partBegin = 0;
        for (ParameterPart part : run.spec().parts()) {
            long partEnd = partBegin + part.shape().elements();
            long begin = Math.max(runBegin, partBegin);
            long end = Math.min(runEnd, partEnd);
            if (begin < end) {
                addRectangles(pieces, part, begin - partBegin, end - partBegin, partBegin - runBegin, mostElements);
            }
            partBegin = partEnd;
        }
        return pieces;
    }

    /** The elements [begin, end) of a part whose first element has offset {@code shift} in the run. */
    private static void addRectangles(
            List<Piece> pieces, ParameterPart part, long begin, long end, long shift, long mostElements) {
        boolean isVector = part.shape().rank() == 1;
        long columns = isVector ? Long.MAX_VALUE : part.shape().dim(1);
        long at = begin;
        while (at < end) {
            long row = at / columns;
            long column = at % columns;
            long wholeRows = Math.min(end - at, mostElements) / columns;
            if (column == 0 && wholeRows > 0) {
                pieces.add(new Piece(part.narrow(0, row, wholeRows), shift + at));
                at += wholeRows * columns;
            } else {
                long count = Math.min(Math.min(columns - column, end - at), mostElements);
                ParameterPart piece = isVector
                        ? part.narrow(0, at, count)
                        : part.narrow(0, row, 1).narrow(1, column, count);
                pieces.add(new Piece(piece, shift + at));
                at += count;
            }
        }
    }
}
