package io.hirundo.commmpi.internal.fabric;

import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** Fabric {@code mpi}. Immediate, because MPI must end with the bundle and not when nobody asks for the service. */
@Component(immediate = true)
@HirundoStrategy(kind = "fabric", name = "mpi")
public final class MpiFactory implements StrategyFactory<MpiOptions, Fabric> {
    /** What the launcher passes on of what mpirun said. */
    private static final String RANK = "hirundo.mpi.rank";

    private static final String SIZE = "hirundo.mpi.size";

    private final LaunchEnvironment launched;
    private final MpiProcess process = new MpiProcess();

    @Activate
    public MpiFactory(BundleContext context) {
        this(LaunchEnvironment.of(context.getProperty(RANK), context.getProperty(SIZE)));
    }

    MpiFactory(LaunchEnvironment launched) {
        this.launched = launched;
    }

    @Override
    public Fabric create(MpiOptions options) {
        return new MpiFabric(options, launched, () -> process.world(options.library()), process::began);
    }

    /** Ends MPI. */
    @Deactivate
    public void deactivate() {
        process.close();
    }
}
