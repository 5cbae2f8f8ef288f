package io.hirundo.devicecuda.internal;

import io.hirundo.command.Check;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecuda.internal.driver.CublasLt;
import io.hirundo.devicecuda.internal.driver.Cubins;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.Nvrtc;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Offers the Hopper GPUs of this machine as the devices {@code cuda}, and says to {@code doctor} what is there or lacking. */
@Component(service = {StrategyFactory.class, Check.class})
@HirundoStrategy(kind = "device", name = "cuda")
public final class CudaBackendFactory implements StrategyFactory<CudaOptions, ComputeBackend>, Check {
  /** Framework or system property, set by the launcher: the folder where natives are kept from run to run. */
  private static final String CACHE = "hirundo.cache";

  /** System property, set by the launcher under mpirun: the number of this process among those of its machine. */
  private static final String LOCAL_RANK = "hirundo.mpi.localRank";

  private static final String SUBJECT = "CUDA";
  private static final String KERNELS = "CUDA kernels";

  private final Installation installation;
  private final int localProcess;

  @Activate
  public CudaBackendFactory(BundleContext context) {
    this(new Installation(Driver.LIBRARY, kernels(context.getProperty(CACHE)), Cubins.ofBundle()), context.getProperty(LOCAL_RANK));
  }

  /** {@code localRank}: null for a process that mpirun did not start. */
  CudaBackendFactory(Installation installation, String localRank) {
    this.installation = installation;
    this.localProcess = localRank == null ? CudaBackend.ALONE : Integer.parseInt(localRank);
  }

  private static Path kernels(String cache) {
    return Path.of(cache == null || cache.isBlank() ? System.getProperty("java.io.tmpdir") : cache, "kernels");
  }

  @Override
  public Class<CudaOptions> optionsType() {
    return CudaOptions.class;
  }

  @Override
  public Class<ComputeBackend> contract() {
    return ComputeBackend.class;
  }

  @Override
  public ComputeBackend create(CudaOptions options) {
    return new CudaBackend(installation, options, localProcess, 1);
  }

  @Override
  public List<Finding> look() {
    var findings = new ArrayList<Finding>();
    if (!installation.cubins().isEmpty()) {
      findings.add(lookAtCubins(installation.cubins()));
    }
    findings.add(lookAtDriver());
    return findings;
  }

  private Finding lookAtCubins(Cubins cubins) {
    if (!cubins.isComplete()) {
      return new Finding(
          State.BAD, KERNELS,
          "those that " + cubins.compiler() + " compiled beforehand are of other sources (" + String.join(", ", cubins.lacking())
              + ") and need libnvrtc: pack the archive anew");
    }
    var driver = installation.driver();
    if (driver.isPresent() && cubins.loadableBy(driver.get().version()).isEmpty()) {
      return new Finding(
          State.BAD, KERNELS,
          "compiled beforehand by " + cubins.compiler() + ", for a newer driver than that for CUDA " + driver.get().versionText()
              + ": update the driver, or install libnvrtc");
    }
    return new Finding(State.GOOD, KERNELS, "compiled beforehand by " + cubins.compiler() + ": libnvrtc is not needed");
  }

  private Finding lookAtDriver() {
    var driver = installation.driver();
    if (driver.isEmpty() || driver.get().hopper().isEmpty()) {
      return new Finding(State.ABSENT, SUBJECT, installation.reason());
    }
    if (driver.get().isTooOld()) {
      return new Finding(State.BAD, SUBJECT, Installation.tooOld(driver.get()));
    }
    var candidates = Nvrtc.candidates(new CudaOptions().toolkit(), driver.get().version());
    Optional<Nvrtc> nvrtc = Nvrtc.open(candidates);
    if (nvrtc.isEmpty() && !installation.cubins().loadableBy(driver.get().version()).isComplete()) {
      return new Finding(
          State.BAD, SUBJECT,
          "there is a GPU but no compiler for its kernels: install one of " + String.join(", ", candidates)
              + ", or name its folder as device.options.toolkit");
    }
    return new Finding(State.GOOD, SUBJECT, what(driver.get(), nvrtc.map(it -> "NVRTC " + it.version()).orElse("no NVRTC")));
  }

  private static String what(Driver driver, String nvrtc) {
    String products =
        CublasLt.open(CublasLt.candidates(new CudaOptions().toolkit(), driver.version()))
            .map(library -> "cuBLASLt " + library.version())
            .orElse("no cuBLASLt: matrix products by the own kernels");
    return "driver for " + driver.versionText() + ", " + nvrtc + ", " + products;
  }
}
