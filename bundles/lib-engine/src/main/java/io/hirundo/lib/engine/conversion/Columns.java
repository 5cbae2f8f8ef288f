package io.hirundo.lib.engine.conversion;

import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import java.util.stream.Stream;

/**
 * Columns of a published tensor's rows that are converted, complete blocks, and those of them that are wanted.
 *
 * @param first column that is converted, in the published tensor
 * @param all how many are converted
 * @param firstWanted of these, from 0
 * @param wanted how many of these
 */
record Columns(long first, long all, long firstWanted, long wanted) {
    /** The columns of a part, and those of the blocks in which they begin and end. */
    static Columns of(ParameterPart part, long unit) {
        int last = part.shape().rank() - 1;
        long offset = part.offset().get(last);
        long first = offset / unit * unit;
        long end = Math.ceilDiv(offset + part.shape().dim(last), unit) * unit;
        return new Columns(first, end - first, offset - first, part.shape().dim(last));
    }

    /** Elements in consecutive order: a row for each so many, all wanted. */
    static Columns consecutive(long unit) {
        return new Columns(0, unit, 0, unit);
    }

    /** Elements of a parameter that are complete blocks of all tensors of a conversion. */
    static long unit(StateConversion conversion) {
        return Stream.concat(conversion.from().stream(), conversion.to().stream())
                .mapToLong(StateSpec::block)
                .reduce(1, Columns::leastCommonMultiple);
    }

    private static long leastCommonMultiple(long a, long b) {
        return a / greatestCommonDivisor(a, b) * b;
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    boolean areAllWanted() {
        return wanted == all;
    }
}
