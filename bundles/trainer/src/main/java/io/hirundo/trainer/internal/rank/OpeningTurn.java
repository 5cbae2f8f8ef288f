package io.hirundo.trainer.internal.rank;

import java.util.concurrent.Semaphore;

/**
 * A rank's turn to open its model where all ranks are planned in one process. Hundreds of threads that compute at once leave nothing
 * for the one that ends the process when the user wishes. Belongs to the rank's thread.
 */
public final class OpeningTurn {
  private final Semaphore permits;
  private boolean begun;

  /** {@code permits}: shared by all ranks, as many as there are processors. */
  public OpeningTurn(Semaphore permits) {
    this.permits = permits;
  }

  /** Waits for others. */
  public void begin() {
    permits.acquireUninterruptibly();
    begun = true;
  }

  /** Also whenever the rank is about to wait for a message: another one may need the turn to send it. */
  public void end() {
    if (begun) {
      begun = false;
      permits.release();
    }
  }
}
