package io.hirundo.devicecuda.internal;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.KernelCompiler;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import io.hirundo.devicecuda.internal.driver.KernelSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** The kernels of a device, each file compiled and loaded when one of it is first launched. Thread-safe. */
public final class Modules implements AutoCloseable {
  private final Context context;
  private final KernelCompiler compiler;
  private final Map<String, KernelModule> loaded = new LinkedHashMap<>();

  Modules(Context context, KernelCompiler compiler) {
    this.context = context;
    this.compiler = compiler;
  }

  /** Begins a launch of a kernel of a file. */
  public Launch launch(Queue queue, String file, String kernel) {
    CudaQueue cuda = CudaQueue.of(queue);
    return cuda.launch(module(file), kernel);
  }

  private synchronized KernelModule module(String file) {
    return loaded.computeIfAbsent(file, name -> new KernelModule(context, name, compiler.cubin(KernelSource.of(name))));
  }

  @Override
  public synchronized void close() {
    loaded.values().forEach(KernelModule::close);
    loaded.clear();
  }
}
