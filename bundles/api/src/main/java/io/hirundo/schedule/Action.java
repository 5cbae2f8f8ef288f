package io.hirundo.schedule;

/**
 * One piece of a rank's work. A backward-weight that follows right after its backward-input makes a fused backward where
 * {@link PipelinePlan#isFused} says so.
 *
 * @param kind what is done
 * @param microbatch for which microbatch, from 0
 * @param chunk for which of the rank's model chunks, from 0
 */
public record Action(Kind kind, int microbatch, int chunk) {
  /** Kinds of work. Sends and receives follow from them. */
  public enum Kind {
    /** Of a chunk; its activations live from here to the backward-weight. */
    FORWARD('F'),
    /** Gradient of the chunk's input. */
    BACKWARD_INPUT('B'),
    /** Gradients of the chunk's weights. */
    BACKWARD_WEIGHT('W');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    /** F, B or W, as in drawings of schedules. */
    public char letter() {
      return letter;
    }
  }

  /** Letter, microbatch and, unless it is the first, chunk: {@code F3}, {@code B0.1}. */
  public String label() {
    return kind.letter() + Integer.toString(microbatch) + (chunk == 0 ? "" : "." + chunk);
  }
}
