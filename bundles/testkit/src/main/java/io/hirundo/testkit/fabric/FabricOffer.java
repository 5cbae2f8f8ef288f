package io.hirundo.testkit.fabric;

import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.World;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What {@link FabricContract} needs from a test class. Ranks are threads of one process. */
public interface FabricOffer extends OnDevice {
    /**
     * One fabric for each rank of a world; may be the same object for all. Ranks may connect more than once.
     *
     * @param timeoutSeconds deadline of connecting and of every collective
     */
    List<Fabric> fabrics(int ranks, int timeoutSeconds);

    /** Whether kernels of one rank read operands of another; if so, no rank's kernel may run on after a failure. */
    default boolean ranksReadEachOther() {
        return false;
    }

    /** Whether reductions add with the device's kernels; if so, none of them may run on after a failure. */
    default boolean sumsWithKernels() {
        return true;
    }

    /** Names of threads and other resources that a closed world left behind, for fabrics that can tell. */
    default List<String> leftBehind(World world) {
        return List.of();
    }
}
