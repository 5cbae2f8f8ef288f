package io.hirundo.lib.engine.tensors;

import io.hirundo.DataException;
import io.hirundo.lib.engine.tensors.HostCopies.HostFloats;
import io.hirundo.model.parameter.ParameterPart;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Rejects NaN and infinite weights of a loaded model. Only these values have all exponent bits set, so one pass over
 * the integers finds their maximum without a branch, at memory bandwidth.
 */
public final class FiniteWeights {
    private static final int EXPONENT_FP32 = 0x7f80_0000;
    private static final long EXPONENT_FP64 = 0x7ff0_0000_0000_0000L;
    private static final int EXPONENT_BF16 = 0x7f80;

    private FiniteWeights() {}

    /**
     * Checks values in host memory.
     *
     * @param from the model, for the message
     * @throws DataException names the tensor and the first element that is not finite
     */
    public static void require(String from, ParameterPart part, HostFloats host) {
        if (isFinite(host)) {
            return;
        }
        long elements = host.memory().byteSize() / host.dtype().byteSize();
        for (long index = 0; index < elements; index++) {
            double value = value(host, index);
            if (!Double.isFinite(value)) {
                throw new DataException(from + ": tensor '" + part.path() + "' holds "
                        + (Double.isNaN(value) ? "NaN" : "an infinite value") + " at " + place(part, index)
                        + " (read as " + host.dtype() + "); the model has diverged or is damaged: give another one");
            }
        }
    }

    private static boolean isFinite(HostFloats host) {
        MemorySegment memory = host.memory();
        return switch (host.dtype()) {
            case FP32 -> {
                int largest = 0;
                for (long at = 0; at < memory.byteSize(); at += Float.BYTES) {
                    largest = Math.max(largest, memory.get(ValueLayout.JAVA_INT, at) & EXPONENT_FP32);
                }
                yield largest < EXPONENT_FP32;
            }
            case FP64 -> {
                long largest = 0;
                for (long at = 0; at < memory.byteSize(); at += Double.BYTES) {
                    largest = Math.max(largest, memory.get(ValueLayout.JAVA_LONG, at) & EXPONENT_FP64);
                }
                yield largest < EXPONENT_FP64;
            }
            case BF16 -> {
                int largest = 0;
                for (long at = 0; at < memory.byteSize(); at += Short.BYTES) {
                    largest = Math.max(largest, memory.get(ValueLayout.JAVA_SHORT, at) & EXPONENT_BF16);
                }
                yield largest < EXPONENT_BF16;
            }
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("parameters of type " + host.dtype());
        };
    }

    private static double value(HostFloats host, long index) {
        MemorySegment memory = host.memory();
        return switch (host.dtype()) {
            case FP32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, index);
            case FP64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
            case BF16 -> Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, index) << Short.SIZE);
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("parameters of type " + host.dtype());
        };
    }

    /** Index of an element in the full tensor. */
    private static List<Long> place(ParameterPart part, long index) {
        var place = new ArrayList<Long>();
        long left = index;
        for (int dim = part.shape().rank() - 1; dim >= 0; dim--) {
            place.addFirst(part.offset().get(dim) + left % part.shape().dim(dim));
            left /= part.shape().dim(dim);
        }
        return place;
    }
}
