package io.hirundo.devicecuda.internal.driver;

import java.util.HashMap;
import java.util.Map;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/** The kernels of one file in a context. Thread-safe. */
public final class KernelModule implements AutoCloseable {
    private final Context context;
    private final String name;
    private final CUmodule module = new CUmodule();
    private final Map<String, Handles.Function> functions = new HashMap<>();

    /** Loads machine code into the context. */
    public KernelModule(Context context, String name, byte[] cubin) {
        this.context = context;
        this.name = name;
        context.makeCurrent();
        Result.check("cuModuleLoadData of " + name, JCudaDriver.cuModuleLoadData(module, cubin));
    }

    /** Returns a kernel by name. */
    public synchronized Handles.Function function(String function) {
        return functions.computeIfAbsent(function, this::find);
    }

    private Handles.Function find(String function) {
        context.makeCurrent();
        var handle = new Handles.Function(name + "." + function);
        Result.check("cuModuleGetFunction " + handle, JCudaDriver.cuModuleGetFunction(handle, module, function));
        return handle;
    }

    @Override
    public void close() {
        context.makeCurrent();
        Result.check("cuModuleUnload of " + name, JCudaDriver.cuModuleUnload(module));
    }
}
