package io.hirundo.devicecpu.internal.threads;

/** Work that is cut into numbered tasks, independent of each other. */
@FunctionalInterface
public interface Task {
    /**
     * Does one task. Called once for each number, in any order, from several threads at a time.
     *
     * @param task 0 to tasks - 1
     * @param scratch the worker's scratch memory, empty
     */
    void run(int task, Scratch scratch);
}
