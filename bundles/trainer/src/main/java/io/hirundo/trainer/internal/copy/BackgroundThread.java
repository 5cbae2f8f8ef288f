package io.hirundo.trainer.internal.copy;

/** A thread that works on a store. */
final class BackgroundThread {
  private BackgroundThread() {}

  /**
   * Interrupts it, and returns when it has ended.
   *
   * @return whether whoever waits was interrupted meanwhile, which is to be passed on when all is done
   */
  static boolean end(Thread thread) {
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    return interrupted;
  }
}
