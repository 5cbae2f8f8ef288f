package io.hirundo.devicecuda.internal.driver;

import java.util.HashMap;
import java.util.Map;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/** The kernels of one file in a context. Thread-safe. */
public final class KernelModule implements AutoCloseable {
  private final String name;
  private final CUmodule module = new CUmodule();
  private final Map<String, Handles.Function> functions = new HashMap<>();

  /** Loads machine code into the current context. */
  public KernelModule(String name, byte[] cubin) {
    this.name = name;
    Result.check("cuModuleLoadData of " + name, JCudaDriver.cuModuleLoadData(module, cubin));
  }

  /** A kernel by its name. The context must be current. */
  public synchronized Handles.Function function(String function) {
    return functions.computeIfAbsent(function, this::find);
  }

  private Handles.Function find(String function) {
    var handle = new Handles.Function();
    Result.check("cuModuleGetFunction " + name + "." + function, JCudaDriver.cuModuleGetFunction(handle, module, function));
    return handle;
  }

  @Override
  public void close() {
    Result.check("cuModuleUnload of " + name, JCudaDriver.cuModuleUnload(module));
  }
}
