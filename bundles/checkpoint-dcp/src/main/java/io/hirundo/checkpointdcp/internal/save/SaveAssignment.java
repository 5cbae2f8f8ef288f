package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.collective.Exchange;

/**
 * What a rank has to do with its data in one save, as all ranks have agreed.
 *
 * @param placement where it writes; null where the save has failed already
 * @param to the rank that its data are passed to by messages, or {@link Exchange#NOBODY}
 * @param from the rank whose data come by messages, or {@link Exchange#NOBODY}
 */
public record SaveAssignment(Placement placement, int to, int from) {
    /** Nothing is passed. */
    public static SaveAssignment toNobody(Placement placement) {
        return new SaveAssignment(placement, Exchange.NOBODY, Exchange.NOBODY);
    }

    public boolean sends() {
        return to != Exchange.NOBODY;
    }

    /** Length of the file that comes. */
    public long receivedBytes() {
        return from == Exchange.NOBODY ? 0 : placement.receivedBytes();
    }
}
