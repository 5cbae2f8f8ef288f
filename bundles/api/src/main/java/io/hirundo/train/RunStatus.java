package io.hirundo.train;

import java.nio.file.Path;

/**
 * Where a run is.
 *
 * @param name of the run
 * @param directory of the run
 * @param state what it does
 * @param reason why it is paused; empty while it runs
 * @param progress how far it has come
 */
public record RunStatus(String name, Path directory, State state, String reason, Progress progress) {
  /** What a run does. */
  public enum State {
    RUNNING,
    /** Until it is resumed, or until a strategy that it needs is there again. */
    PAUSED,
    ENDED
  }

  /**
   * How far a run has come.
   *
   * @param step steps done
   * @param steps of the whole run
   * @param consumedSamples read so far
   * @param loss of the last step, in nats; not a number before the first
   * @param tokensPerSecond of the last step; 0 before the first
   */
  public record Progress(long step, long steps, long consumedSamples, double loss, double tokensPerSecond) {}
}
