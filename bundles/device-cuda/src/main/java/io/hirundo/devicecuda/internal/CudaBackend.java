package io.hirundo.devicecuda.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecuda.internal.compile.MachineCode;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.Gpu;
import io.hirundo.devicecuda.internal.launch.CublasLtGemms;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Hopper GPUs that this process uses. Ranks of a process access each other's tensors. Each gets its own GPU if there are enough GPUs
 * with peer access; otherwise all ranks share the first GPU and its memory. Each of several processes has one GPU.
 */
final class CudaBackend implements ComputeBackend {
    /** {@code localProcess} of the only process of the run on this machine. */
    static final int ALONE = -1;

    /** Granularity of the driver's memory pools. */
    private static final long ALIGNMENT_BYTES = 512;

    private static final Logger LOG = LoggerFactory.getLogger(CudaBackend.class);

    private final Installation installation;
    private final CudaOptions options;
    private final int localProcess;
    private final int ranks;
    private final AtomicBoolean hasLogged = new AtomicBoolean();

    /**
     * @param localProcess number of this process among those of the run on this machine, or {@link #ALONE}
     * @param ranks number of ranks, each of which opens a device
     */
    CudaBackend(Installation installation, CudaOptions options, int localProcess, int ranks) {
        this.installation = installation;
        this.options = options;
        this.localProcess = localProcess;
        this.ranks = ranks;
    }

    @Override
    public List<DeviceInfo> devices() {
        List<Gpu> gpus = gpus();
        var devices = new ArrayList<DeviceInfo>();
        for (int ordinal = 0; ordinal < gpus.size(); ordinal++) {
            devices.add(part(gpus, ordinal));
        }
        return devices;
    }

    /** The share of a GPU that a rank has. */
    private DeviceInfo part(List<Gpu> gpus, int ordinal) {
        DeviceInfo whole = gpus.get(ordinal).info();
        int sharing = Math.ceilDiv(ranks, gpus.size());
        return new DeviceInfo(whole.backend(), ordinal, whole.name(), whole.arch(), whole.memoryBytes() / sharing);
    }

    private List<Gpu> gpus() {
        List<Gpu> all = installation.driver().map(Driver::hopper).orElse(List.of());
        if (all.isEmpty()) {
            return all;
        }
        if (options.ordinal() >= all.size()) {
            throw new ConfigurationException("device.options.ordinal: there is no GPU " + options.ordinal()
                    + "; this machine's are 0 to " + (all.size() - 1));
        }
        if (options.ordinal() >= 0) {
            return List.of(all.get(options.ordinal()));
        }
        if (localProcess != ALONE) {
            return List.of(all.get(localProcess % all.size()));
        }
        if (ranks == 1) {
            return all;
        }
        List<Gpu> eachItsOwn = all.subList(0, Math.min(ranks, all.size()));
        return Gpu.seeEachOther(eachItsOwn) ? eachItsOwn : all.subList(0, 1);
    }

    @Override
    public ComputeBackend sharedBy(int ranks) {
        if (ranks < 1) {
            throw new IllegalArgumentException("a device is shared by 1 rank or more, not " + ranks);
        }
        return new CudaBackend(installation, options, localProcess, ranks);
    }

    /** Per-tensor scaling has no kernels on GPUs. */
    @Override
    public Set<Class<?>> missingKernels() {
        return Set.of(MatrixScaledKernels.class);
    }

    @Override
    public MemoryProfile memoryProfile() {
        // Depends on the options only, so that a machine without cuBLASLt can plan for one with it.
        long workspaceBytes = options.gemm().equals(CudaOptions.OWN) ? 0 : CublasLtGemms.WORKSPACE_BYTES;
        return new MemoryProfile(
                "cuda", ALIGNMENT_BYTES, Workspace.BYTES + workspaceBytes, options.attendsOnWarpgroups());
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        List<Gpu> gpus = gpus();
        if (gpus.isEmpty()) {
            throw new DeviceException("there is no device cuda: " + installation.reason());
        }
        if (ordinal < 0 || ordinal >= gpus.size()) {
            throw new DeviceException(
                    "device cuda has no ordinal " + ordinal + ": this process's are 0 to " + (gpus.size() - 1));
        }
        Driver driver = installation.driver().orElseThrow();
        logChosenGpu(gpus, driver.hopper().size());
        MachineCode code = installation.machineCode(options, driver);
        var libraries = new CudaDevice.Libraries(
                driver,
                code,
                installation.cublasLt(options, driver),
                options.attendsOnWarpgroups(),
                options.variants(),
                options.graphs());
        List<Gpu> seers = ranks == 1 ? List.of() : gpus;
        return CudaDevice.open(libraries, gpus.get(ordinal), part(gpus, ordinal), seers, memoryProfile(), ledger);
    }

    private void logChosenGpu(List<Gpu> gpus, int ofMachine) {
        if (ofMachine > 1 && hasLogged.compareAndSet(false, true)) {
            String chosen = String.join(
                    ", ",
                    gpus.stream()
                            .map(gpu -> Integer.toString(gpu.info().ordinal()))
                            .toList());
            if (ranks > 1 && gpus.size() == 1 && options.ordinal() < 0 && localProcess == ALONE) {
                LOG.warn(
                        "{} ranks share GPU {}: the machine's {} do not all see each other's memory; for a GPU each start a process each (mpirun)",
                        ranks,
                        chosen,
                        ofMachine);
            } else {
                LOG.info("of this machine's {} GPUs this process may use {}", ofMachine, chosen);
            }
        }
    }
}
