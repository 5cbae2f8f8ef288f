package io.hirundo.commlocal.internal.mutant;

import io.hirundo.commlocal.internal.fabric.LocalFabricTest;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.testkit.FabricContract;
import java.util.Collections;
import java.util.List;

/** A fabric that is sound but for what a mutant changes. */
abstract class FabricMutant implements FabricContract {
    /**
     * Of each wait. Mutants that hang wait for all of it, so it is short. But a sound wait on a slow machine must not exceed it: the clause would fail,
     * and the mutant would count as found whatever it breaks.
     */
    private static final int DEADLINE_SECONDS = 3;

    private final LocalFabricTest sound = new LocalFabricTest();

    @Override
    public boolean ranksReadEachOther() {
        return true;
    }

    @Override
    public ComputeBackend backend() {
        return sound.backend();
    }

    @Override
    public List<Fabric> fabrics(int ranks, int timeoutSeconds) {
        return Collections.nCopies(
                ranks,
                mutant(sound.fabrics(1, Math.min(timeoutSeconds, DEADLINE_SECONDS))
                        .getFirst()));
    }

    Fabric mutant(Fabric real) {
        return new Fabric() {
            @Override
            public List<Integer> localRanks(Mesh mesh) {
                return real.localRanks(mesh);
            }

            @Override
            public World connect(int rank, Mesh mesh, Device device) {
                return mutant(real.connect(rank, mesh, device), device);
            }
        };
    }

    World mutant(World real, Device device) {
        return new MutantWorld(real) {
            @Override
            ProcessGroup mutant(ProcessGroup group) {
                return FabricMutant.this.mutant(group, real, device);
            }
        };
    }

    ProcessGroup mutant(ProcessGroup real, World world, Device device) {
        return real;
    }
}
