package io.hirundo.commmpi.internal.collective;

import io.hirundo.lib.fabric.GroupName;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The ranks of a group, and how their messages differ from those of other groups: by tags. Two ranks need the same number
 * for a group that both are in, and no other rank needs to agree; so groups are made without a word between ranks.
 *
 * @param name of the group, and its ranks
 * @param numbers of the group, by the rank of the world with which messages are exchanged
 */
public record MpiGroupState(GroupName name, Map<Integer, Integer> numbers) {
    /** Of which a group's messages have one each. */
    enum Purpose {
        HEADER,
        DATA,
        MESSAGE_HEADER,
        MESSAGE_DATA
    }

    /** Below are those of {@link Control}. */
    private static final int FIRST_TAG = 16;

    /** What every MPI allows at least. */
    public static final int MAX_NUMBER = (32767 - FIRST_TAG) / Purpose.values().length - 1;

    IntUnaryOperator tag(Purpose purpose) {
        return peer -> FIRST_TAG + numbers.get(peer) * Purpose.values().length + purpose.ordinal();
    }

    /** Stands for name and ranks. */
    public long identity() {
        return MessageHeader.groupOf(name.name(), name.ranks());
    }

    /** Of the world, in the order of the group. */
    List<Integer> ranks() {
        return name.ranks();
    }
}
