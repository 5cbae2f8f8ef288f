package io.hirundo.devicecuda.internal.launch;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.compile.KernelSource;
import io.hirundo.devicecuda.internal.compile.MachineCode;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import io.hirundo.devicecuda.internal.stream.Launch;
import java.util.LinkedHashMap;
import java.util.Map;

/** The kernels of a device. Each file is loaded, and compiled if necessary, at its first launch. Thread-safe. */
public final class Modules implements AutoCloseable {
    private final Context context;
    private final MachineCode code;
    private final Map<String, KernelModule> loaded = new LinkedHashMap<>();

    public Modules(Context context, MachineCode code) {
        this.context = context;
        this.code = code;
    }

    /** Starts a launch of a kernel. */
    public Launch launch(Queue queue, String file, String kernel) {
        CudaQueue cuda = CudaQueue.of(queue);
        return cuda.launch(module(file), kernel);
    }

    private synchronized KernelModule module(String file) {
        return loaded.computeIfAbsent(file, name -> code.load(context, KernelSource.of(name)));
    }

    @Override
    public synchronized void close() {
        loaded.values().forEach(KernelModule::close);
        loaded.clear();
    }
}
