package io.hirundo.parallelcp.internal;

import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.commlocal.internal.fabric.LocalOptions;
import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** The fabric {@code local}, with which one JVM trains on many ranks. */
final class LocalNetwork implements Network {
    private final Fabric fabric = new LocalFactory().create(new LocalOptions(120, null));
    private final Mesh mesh;
    private final AtomicReference<World> any = new AtomicReference<>();
    private final AtomicReference<Throwable> end = new AtomicReference<>();

    LocalNetwork(int ranks) {
        mesh = new Mesh(new LinkedHashMap<>(Map.of(Axis.CONTEXT, ranks)));
    }

    @Override
    public Place join(int rank, Device device) {
        World world = fabric.connect(rank, mesh, device);
        any.set(world);
        return new Place() {
            @Override
            public ProcessGroup group() {
                return world.along(Axis.CONTEXT);
            }

            @Override
            public void close() {
                world.close();
            }
        };
    }

    @Override
    public void abort(Throwable cause) {
        end.compareAndSet(null, cause);
        World world = any.get();
        if (world != null) {
            world.abort(cause);
        }
    }

    @Override
    public Throwable cause(Throwable otherwise) {
        return end.get() == null ? otherwise : end.get();
    }

    @Override
    public void close() {}
}
