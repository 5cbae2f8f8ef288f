package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.Gpu;
import io.hirundo.devicecuda.internal.driver.KernelCompiler;
import io.hirundo.devicecuda.internal.kernel.CudaKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** An open GPU: its primary context, memory, queues and kernels. Allocation and {@link #newQueue} are thread-safe. */
final class CudaDevice implements Device {
  private final DeviceInfo info;
  private final Context context;
  private final DirectCalls calls;
  private final EventPool events;
  private final DeviceMemory memory;
  private final Modules modules;
  private final CudaKernels kernels;
  private final CudaTransfer transfer;
  private final Set<CudaQueue> queues = new LinkedHashSet<>();

  private CudaDevice(Driver driver, DeviceInfo info, MemoryProfile profile, DeviceLedger ledger, Context context, KernelCompiler compiler) {
    this.info = info;
    this.context = context;
    this.calls = driver.calls();
    this.events = new EventPool(context);
    this.memory = new DeviceMemory(context, profile, ledger, info.memoryBytes(), events);
    this.modules = new Modules(context, compiler);
    this.transfer = new CudaTransfer(events);
    try {
      this.kernels = new CudaKernels(modules, new Workspace(memory.take(MemoryCategory.WORKSPACE, Workspace.BYTES)));
    } catch (RuntimeException failure) {
      memory.close();
      throw failure;
    }
  }

  /**
   * Opens a GPU.
   *
   * @param info of the rank's part of it
   * @param others of the process, which read and write its memory too; may have itself
   */
  static CudaDevice open(
      Driver driver, Gpu gpu, DeviceInfo info, List<Gpu> others, MemoryProfile profile, DeviceLedger ledger, KernelCompiler compiler) {
    var context = new Context(gpu.cudaOrdinal());
    try {
      context.makeCurrent();
      driver.calls().keepReleasedMemory(gpu.cudaOrdinal());
      for (Gpu other : others) {
        if (other.cudaOrdinal() != gpu.cudaOrdinal()) {
          driver.calls().openMemory(gpu.cudaOrdinal(), other.cudaOrdinal());
        }
      }
      return new CudaDevice(driver, info, profile, ledger, context, compiler);
    } catch (RuntimeException failure) {
      context.close();
      throw failure;
    }
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public boolean computes() {
    return true;
  }

  @Override
  public Queue newQueue(String purpose) {
    synchronized (queues) {
      var queue = new CudaQueue(context, calls, memory, events, closed -> {
        synchronized (queues) {
          queues.remove(closed);
        }
      });
      queues.add(queue);
      return queue;
    }
  }

  @Override
  public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
    try {
      return new CudaTensor(memory.take(category, shape.byteSize(dtype)), shape, dtype);
    } catch (DeviceException e) {
      throw new DeviceException("no memory for a tensor " + shape + " " + dtype + " (" + category + "): " + e.getMessage(), e);
    }
  }

  @Override
  public Kernels kernels() {
    return kernels;
  }

  @Override
  public Transfer transfer() {
    return transfer;
  }

  @Override
  @SuppressWarnings("try") // Each is closed although another failed.
  public void close() {
    context.makeCurrent();
    try (context; modules; events; transfer; memory) {
      Set<CudaQueue> open;
      synchronized (queues) {
        open = Set.copyOf(queues);
      }
      open.forEach(CudaQueue::close);
    }
  }
}
