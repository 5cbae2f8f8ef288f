package io.hirundo.schedule;

/**
 * One action of a rank: forward or half a backward of one microbatch and chunk. A backward-weight directly after its
 * backward-input may run as one fused backward; see {@link PipelinePlan#isFused}.
 *
 * @param kind of action
 * @param microbatch from 0
 * @param chunk of the rank's model chunks, from 0
 */
public record Action(Kind kind, int microbatch, int chunk) {
    /** Kinds of actions. Sends and receives follow from them. */
    public enum Kind {
        /** Forward of a chunk; its activations live until the backward-weight. */
        FORWARD('F'),
        /** Gradient of the chunk's input. */
        BACKWARD_INPUT('B'),
        /** Gradients of the chunk's weights. */
        BACKWARD_WEIGHT('W');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }

        /** F, B or W, as papers draw schedules. */
        public char letter() {
            return letter;
        }
    }

    /** Letter, microbatch and, unless 0, chunk: {@code F3}, {@code B0.1}. */
    public String label() {
        return kind.letter() + Integer.toString(microbatch) + (chunk == 0 ? "" : "." + chunk);
    }
}
