package __package__;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** One rank's membership: its groups, and what it has communicated. */
final class __Name__World implements World {
    private final World base;
    private final __Name__Traffic traffic = new __Name__Traffic();

    /** Equal requests must return the same group. */
    private final Map<ProcessGroup, ProcessGroup> groups = new IdentityHashMap<>();

    __Name__World(World base) {
        this.base = base;
    }

    @Override
    public int rank() {
        return base.rank();
    }

    @Override
    public Mesh mesh() {
        return base.mesh();
    }

    @Override
    public ProcessGroup along(Axis... axes) {
        return wrapped(base.along(axes));
    }

    @Override
    public ProcessGroup group(List<Integer> ranks) {
        return wrapped(base.group(ranks));
    }

    private ProcessGroup wrapped(ProcessGroup group) {
        return groups.computeIfAbsent(group, each -> new __Name__Group(each, traffic));
    }

    /** From any thread. */
    @Override
    public void abort(Throwable cause) {
        base.abort(cause);
    }

    /** Prints one line for all ranks: they communicate about the same. */
    @Override
    public void close() {
        if (rank() == 0) {
            System.err.println(__Name__Fabric.NAME + ": rank 0: " + traffic.summary());
        }
        base.close();
    }
}
