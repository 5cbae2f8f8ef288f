package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.compile.Cubins;
import io.hirundo.devicecuda.internal.compile.KernelCompiler;
import io.hirundo.devicecuda.internal.compile.MachineCode;
import io.hirundo.devicecuda.internal.compile.Nvrtc;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.launch.LogOnce;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CUDA installation of this machine. The driver is opened once, at its first use, and the result is logged in one line. Thread-safe.
 */
public final class Installation {
    private static final Logger LOG = LoggerFactory.getLogger(Installation.class);

    private final List<String> driverLibrary;
    private final Path cache;
    private final Cubins cubins;
    private Driver driver;
    private String reason;
    private final LogOnce log = new LogOnce();

    /**
     * @param driverLibrary names of {@code libcuda}
     * @param cache folder of compiled kernels, unless an option names another folder
     * @param cubins kernels that were compiled ahead of time
     */
    public Installation(List<String> driverLibrary, Path cache, Cubins cubins) {
        this.driverLibrary = driverLibrary;
        this.cache = cache;
        this.cubins = cubins;
    }

    /** Empty if there is no working driver; then {@link #reason} says why. */
    synchronized Optional<Driver> driver() {
        if (driver == null && reason == null) {
            try {
                driver = Driver.open(driverLibrary);
                LOG.info(
                        "CUDA driver {}, {} Hopper GPUs",
                        driver.versionText(),
                        driver.hopper().size());
            } catch (DeviceException absent) {
                reason = absent.getMessage();
                LOG.info("no device cuda: {}", reason);
            }
        }
        return Optional.ofNullable(driver);
    }

    /** Why there is no usable GPU. */
    synchronized String reason() {
        return driver().map(it -> it.others().isEmpty()
                        ? "the driver has no GPU"
                        : "kernels are made for Hopper (compute capability 9.0) alone, not for "
                                + String.join(", ", it.others()))
                .orElse(reason);
    }

    static String tooOld(Driver driver) {
        return "the driver is for CUDA " + driver.versionText() + ", and kernels need 12.0 or newer: update the driver";
    }

    Cubins cubins() {
        return cubins;
    }

    /**
     * The source of the kernels' machine code, logged once.
     *
     * @throws DeviceException if a kernel must be compiled and NVRTC is missing
     */
    MachineCode machineCode(CudaOptions options, Driver used) {
        if (used.isTooOld()) {
            throw new DeviceException(tooOld(used));
        }
        Optional<Nvrtc> nvrtc = Nvrtc.open(Nvrtc.candidates(options.toolkit(), used.version()));
        Cubins loadable = cubins.loadableBy(used.version());
        if (nvrtc.isEmpty() && !loadable.isComplete()) {
            throw new DeviceException(
                    "device cuda compiles its kernels with libnvrtc, version 12 or newer but not newer than the driver (CUDA "
                            + used.versionText() + "), which is neither on the loader's path nor in "
                            + options.toolkit()
                            + "; install it, or name its folder as device.options.toolkit");
        }
        var code = new MachineCode(loadable, nvrtc.map(it -> new KernelCompiler(it, used.version(), cache(options))));
        log.info(code.text());
        return code;
    }

    /**
     * cuBLASLt, as the option {@code gemm} requests; empty if the own kernels compute GEMMs. The choice is logged once.
     *
     * @throws DeviceException if cuBLASLt is requested and missing
     */
    Optional<CublasLt> cublasLt(CudaOptions options, Driver used) {
        if (options.gemm().equals(CudaOptions.OWN)) {
            log.info("GEMMs by the own kernels, as device.options.gemm says");
            return Optional.empty();
        }
        Optional<CublasLt> found = CublasLt.open(CublasLt.candidates(options.toolkit(), used.version()));
        String absent =
                "libcublasLt, version 12 or newer but not newer than the driver, is neither on the loader's path nor in ";
        if (found.isPresent()) {
            log.info("GEMMs by cuBLASLt " + found.get().version()
                    + (found.get().hasBlockScales()
                            ? ""
                            : ", 8-bit ones by the own kernels: scales for blocks need 12.9"));
        } else if (options.gemm().equals(CudaOptions.CUBLASLT)) {
            throw new DeviceException(absent + options.toolkit()
                    + "; install it, name its folder as device.options.toolkit, or give device.options.gemm=own");
        } else {
            log.info("GEMMs by the own kernels (tensor cores for BF16 and E4M3 alone): " + absent + options.toolkit());
        }
        return found;
    }

    private Path cache(CudaOptions options) {
        return options.kernelCache().isEmpty() ? cache : Path.of(options.kernelCache());
    }
}
