package io.hirundo.trainer.internal.rank;

import java.util.concurrent.Semaphore;

/**
 * Limits how many ranks open their models at once when a plan runs all ranks in one process. Hundreds of busy threads would leave no
 * CPU time for the thread that handles Ctrl-C. Confined to the rank's thread.
 */
public final class OpeningTurn {
  private final Semaphore permits;
  private boolean begun;

  /** {@code permits}: shared by all ranks, one per processor. */
  public OpeningTurn(Semaphore permits) {
    this.permits = permits;
  }

  /** Waits for a permit. */
  public void begin() {
    permits.acquireUninterruptibly();
    begun = true;
  }

  /** Releases the permit; also called before the rank waits for a collective, because another rank may need the permit to join it. */
  public void end() {
    if (begun) {
      begun = false;
      permits.release();
    }
  }
}
