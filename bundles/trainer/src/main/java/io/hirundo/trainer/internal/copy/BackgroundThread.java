package io.hirundo.trainer.internal.copy;

/** Stops threads that use a store. */
final class BackgroundThread {
    private BackgroundThread() {}

    /**
     * Interrupts the thread and waits for its end.
     *
     * @return whether the calling thread was interrupted meanwhile; the caller must restore its interrupt flag
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
