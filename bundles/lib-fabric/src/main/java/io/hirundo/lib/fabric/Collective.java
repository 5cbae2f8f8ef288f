package io.hirundo.lib.fabric;

/** Kinds of collectives; {@code toString} gives the name in messages. */
public enum Collective {
    ALL_REDUCE("all-reduce"),
    ALL_GATHER("all-gather"),
    REDUCE_SCATTER("reduce-scatter"),
    BROADCAST("broadcast"),
    ALL_TO_ALL("all-to-all"),
    SEND("send"),
    RECEIVE("receive"),
    BARRIER("barrier");

    private final String words;

    Collective(String words) {
        this.words = words;
    }

    /** Whether it is point-to-point. */
    public boolean isBetweenTwo() {
        return this == SEND || this == RECEIVE;
    }

    @Override
    public String toString() {
        return words;
    }
}
