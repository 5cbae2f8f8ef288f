package io.hirundo.commlocal.internal.mutant;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Does what another world does, but for what a mutant changes. */
class MutantWorld implements World {
    final World real;
    private final Map<ProcessGroup, ProcessGroup> groups = new IdentityHashMap<>();

    MutantWorld(World real) {
        this.real = real;
    }

    ProcessGroup mutant(ProcessGroup group) {
        return group;
    }

    @Override
    public int rank() {
        return real.rank();
    }

    @Override
    public Mesh mesh() {
        return real.mesh();
    }

    @Override
    public ProcessGroup along(Axis... axes) {
        return groups.computeIfAbsent(real.along(axes), this::mutant);
    }

    @Override
    public ProcessGroup group(List<Integer> ranks) {
        return groups.computeIfAbsent(real.group(ranks), this::mutant);
    }

    @Override
    public void abort(Throwable cause) {
        real.abort(cause);
    }

    @Override
    public void close() {
        real.close();
    }
}
