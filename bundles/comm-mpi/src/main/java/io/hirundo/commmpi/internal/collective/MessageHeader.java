package io.hirundo.commmpi.internal.collective;

import io.hirundo.lib.fabric.Collective;
import io.hirundo.lib.fabric.Signature;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * What ranks tell each other before they exchange data.
 *
 * @param group stands for name and ranks of the group
 * @param number of the collective in its group, or of the message between the two ranks
 */
public record MessageHeader(long group, long number, Signature signature) {
    static final int BYTES = 64;
    private static final int NOTHING = -1;
    private static final int NUMBER = 8;
    private static final int ELEMENTS = 16;
    private static final int KIND = 24;
    private static final int REDUCTION = 28;
    private static final int ROOT = 32;
    private static final int DTYPE = 36;

    /** The same for all members of a group, in all processes. */
    static long groupOf(String name, List<Integer> ranks) {
        return ((long) name.hashCode() << 32) ^ ranks.hashCode();
    }

    void write(MemorySegment to) {
        to.set(ValueLayout.JAVA_LONG, 0, group);
        to.set(ValueLayout.JAVA_LONG, NUMBER, number);
        to.set(ValueLayout.JAVA_LONG, ELEMENTS, signature.elements());
        to.set(ValueLayout.JAVA_INT, KIND, signature.kind().ordinal());
        to.set(ValueLayout.JAVA_INT, REDUCTION, ordinal(signature.reduction()));
        to.set(ValueLayout.JAVA_INT, ROOT, signature.root());
        to.set(ValueLayout.JAVA_INT, DTYPE, ordinal(signature.dtype()));
    }

    static MessageHeader read(MemorySegment from) {
        int reduction = from.get(ValueLayout.JAVA_INT, REDUCTION);
        int dtype = from.get(ValueLayout.JAVA_INT, DTYPE);
        var signature = new Signature(
                Collective.values()[from.get(ValueLayout.JAVA_INT, KIND)],
                reduction == NOTHING ? null : Reduction.values()[reduction],
                from.get(ValueLayout.JAVA_INT, ROOT),
                dtype == NOTHING ? null : DType.values()[dtype],
                from.get(ValueLayout.JAVA_LONG, ELEMENTS));
        return new MessageHeader(
                from.get(ValueLayout.JAVA_LONG, 0), from.get(ValueLayout.JAVA_LONG, NUMBER), signature);
    }

    /** Whether two ranks mean the same collective or message. */
    boolean fits(MessageHeader other) {
        return group == other.group && number == other.number && signature.fits(other.signature);
    }

    private static int ordinal(Enum<?> value) {
        return value == null ? NOTHING : value.ordinal();
    }
}
