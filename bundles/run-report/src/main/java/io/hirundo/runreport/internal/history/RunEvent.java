package io.hirundo.runreport.internal.history;

/**
 * Something that happened between two steps.
 *
 * @param step steps done
 * @param kind of event
 * @param text one line for people
 */
public record RunEvent(long step, Kind kind, String text) {
    /** Kind of event. */
    public enum Kind {
        CHECKPOINT("checkpoint"),
        CHANGE("strategy change"),
        REJECTED("change rejected"),
        PAUSE("pause"),
        PROBLEM("problem");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }
}
