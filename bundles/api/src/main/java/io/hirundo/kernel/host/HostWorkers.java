package io.hirundo.kernel.host;

import java.util.function.IntConsumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The threads of a device that computes on processors: {@code device.adapt(HostWorkers.class)}. Its queues run work at once, so a kernel has
 * ended when its method returns.
 */
@ConsumerType
public interface HostWorkers {
    /**
     * Runs tasks and returns when all have ended; what they wrote is visible to the caller. If one fails, those that have not begun are left
     * out, and the first failure is thrown as it is.
     *
     * <p>Cut work into tasks by its extents alone: then results are the same whatever the number of threads.
     *
     * @param tasks how many, 0 for none
     * @param body called once for each number from 0, in any order, by several threads at a time; must not launch kernels
     */
    void run(int tasks, IntConsumer body);
}
