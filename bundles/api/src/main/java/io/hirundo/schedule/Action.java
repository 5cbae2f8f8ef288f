package io.hirundo.schedule;

/**
 * One piece of a rank's work.
 *
 * @param kind what is done
 * @param microbatch for which microbatch, from 0
 * @param chunk for which of the rank's model chunks, from 0
 */
public record Action(Kind kind, int microbatch, int chunk) {
  /** Kinds of work. Sends and receives follow from them. */
  public enum Kind {
    FORWARD,
    BACKWARD_INPUT,
    BACKWARD_WEIGHT
  }
}
