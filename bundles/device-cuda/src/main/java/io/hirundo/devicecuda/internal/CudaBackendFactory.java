package io.hirundo.devicecuda.internal;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.command.Check;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecuda.internal.compile.Cubins;
import io.hirundo.devicecuda.internal.compile.Nvrtc;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.lib.files.TemporaryFolders;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Offers the Hopper GPUs of this machine as device {@code cuda}, and reports to {@code doctor} what is installed or missing. */
@Component(service = {StrategyFactory.class, Check.class})
@HirundoStrategy(kind = "device", name = "cuda")
public final class CudaBackendFactory implements StrategyFactory<CudaOptions, ComputeBackend>, Check {
    /** Framework or system property, set by the launcher: the folder that caches native files between runs. */
    private static final String CACHE = "hirundo.cache";

    /** System property, set by the launcher under mpirun: the number of this process on its machine. */
    private static final String LOCAL_RANK = "hirundo.mpi.localRank";

    private static final String SUBJECT = "CUDA";
    private static final String KERNELS = "CUDA kernels";

    private final Installation installation;
    private final int localProcess;

    @Activate
    public CudaBackendFactory(BundleContext context) {
        this(
                new Installation(Driver.LIBRARY, kernels(context.getProperty(CACHE)), Cubins.ofBundle()),
                context.getProperty(LOCAL_RANK));
    }

    /** {@code localRank}: null for a process that mpirun did not start. */
    public CudaBackendFactory(Installation installation, String localRank) {
        this.installation = installation;
        this.localProcess = localRank == null ? CudaBackend.ALONE : Integer.parseInt(localRank);
    }

    private static Path kernels(String cache) {
        if (cache != null && !cache.isBlank()) {
            return Path.of(cache, "kernels");
        }
        try {
            // A random name, because another user could create a well-known folder below java.io.tmpdir first and so
            // choose what the GPU runs.
            return TemporaryFolders.create("kernels-");
        } catch (IOException e) {
            throw new StorageException(
                    "cannot make a folder for compiled kernels: " + Reason.of(e) + "; set HIRUNDO_CACHE to a folder",
                    e);
        }
    }

    @Override
    public ComputeBackend create(CudaOptions options) {
        return new CudaBackend(installation, options, localProcess, 1);
    }

    @Override
    public List<Finding> look() {
        Optional<Driver> driver = installation.driver().filter(it -> !it.isTooOld());
        Cubins cubins = installation.cubins();
        Cubins loadable = driver.map(it -> cubins.loadableBy(it.version())).orElse(cubins);
        List<String> candidates = driver.map(it -> Nvrtc.candidates(new CudaOptions().toolkit(), it.version()))
                .orElse(List.of());
        Optional<Nvrtc> nvrtc = Nvrtc.open(candidates);
        var findings = new ArrayList<Finding>();
        if (!cubins.isEmpty()) {
            State state = loadable.isComplete() || nvrtc.isPresent() ? State.GOOD : State.BAD;
            findings.add(new Finding(state, KERNELS, what(cubins, loadable)));
        }
        if (installation.driver().isEmpty()
                || installation.driver().get().hopper().isEmpty()) {
            findings.add(new Finding(State.ABSENT, SUBJECT, installation.reason()));
        } else if (driver.isEmpty()) {
            findings.add(new Finding(
                    State.BAD,
                    SUBJECT,
                    Installation.tooOld(installation.driver().get())));
        } else if (nvrtc.isEmpty() && !loadable.isComplete()) {
            findings.add(new Finding(
                    State.BAD,
                    SUBJECT,
                    "there is a GPU but no compiler for its kernels: install one of " + String.join(", ", candidates)
                            + ", or name its folder as device.options.toolkit"));
        } else {
            findings.add(new Finding(
                    State.GOOD,
                    SUBJECT,
                    what(driver.get(), nvrtc.map(it -> "NVRTC " + it.version()).orElse("no NVRTC"))));
        }
        return findings;
    }

    private static String what(Cubins cubins, Cubins loadable) {
        String made = "compiled beforehand by " + cubins.compiler();
        if (loadable.isComplete()) {
            return made + ": libnvrtc is not needed";
        }
        return loadable.isEmpty()
                ? made + ", for a newer driver than this: libnvrtc compiles them again, or update the driver"
                : made + " of other sources (" + String.join(", ", cubins.lacking())
                        + "): libnvrtc compiles them again, or pack the archive again";
    }

    private static String what(Driver driver, String nvrtc) {
        String cublasLt = CublasLt.open(CublasLt.candidates(new CudaOptions().toolkit(), driver.version()))
                .map(library -> "cuBLASLt " + library.version())
                .orElse("no cuBLASLt: GEMMs by the own kernels");
        return "driver for " + driver.versionText() + ", " + nvrtc + ", " + cublasLt;
    }
}
