package io.hirundo.commmpi.internal.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the rank that does something else than the others. All ranks find the same one. */
record Disagreement(MpiGroupState group, List<MessageHeader> headers) {
    /**
     * What is wrong, naming the first rank that does not do what most do; of two, what the first does is taken for right.
     */
    Optional<String> find() {
        MessageHeader expected = headers.getFirst();
        for (MessageHeader header : headers) {
            if (places(header, true).size() > places(expected, true).size()) {
                expected = header;
            }
        }
        List<Integer> others = places(expected, false);
        if (others.isEmpty()) {
            return Optional.empty();
        }
        MessageHeader wrong = headers.get(group.ranks().indexOf(others.getFirst()));
        return Optional.of("rank " + others.getFirst() + " called " + wrong.signature() + " as "
                + group.name().collective(expected.number())
                + ", expected was what " + Operation.ranks(places(expected, true)) + " called, " + expected.signature()
                + aboutGroups(expected, wrong));
    }

    /** Ranks whose header fits, or does not. */
    private List<Integer> places(MessageHeader expected, boolean fits) {
        var ranks = new ArrayList<Integer>();
        for (int place = 0; place < headers.size(); place++) {
            if (headers.get(place).fits(expected) == fits) {
                ranks.add(group.ranks().get(place));
            }
        }
        return ranks;
    }

    /** Said where the calls are alike. */
    static String aboutGroups(MessageHeader expected, MessageHeader other) {
        return expected.group() == other.group() ? "" : "; ranks asked for their groups in different orders";
    }
}
