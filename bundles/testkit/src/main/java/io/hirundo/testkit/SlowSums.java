package io.hirundo.testkit;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A device whose sums take a third of a second. */
final class SlowSums implements ComputeBackend {
  private static final long NANOS = 300_000_000;

  final CountDownLatch begun = new CountDownLatch(2);
  final AtomicInteger running = new AtomicInteger();
  private final ComputeBackend real;

  SlowSums(ComputeBackend real) {
    this.real = real;
  }

  @Override
  public List<DeviceInfo> devices() {
    return real.devices();
  }

  @Override
  public MemoryProfile memoryProfile() {
    return real.memoryProfile();
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    Device device = real.open(ordinal, ledger);
    var elementwise = like(ElementwiseKernels.class, device.kernels().elementwise(), "add", this::sum);
    var kernels = like(Kernels.class, device.kernels(), "elementwise", call -> elementwise);
    return like(Device.class, device, "kernels", call -> kernels);
  }

  private interface Real {
    Object call() throws Throwable;
  }

  private interface Instead {
    Object call(Real call) throws Throwable;
  }

  private Object sum(Real call) throws Throwable {
    running.incrementAndGet();
    begun.countDown();
    long end = System.nanoTime() + NANOS;
    while (System.nanoTime() - end < 0) {
      Thread.interrupted();
      LockSupport.parkNanos(end - System.nanoTime());
    }
    Object result = call.call();
    running.decrementAndGet();
    return result;
  }

  private static <T> T like(Class<T> type, T real, String name, Instead instead) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Real call = () -> invoke(real, method, arguments);
          return method.getName().equals(name) ? instead.call(call) : call.call();
        };
    return type.cast(Proxy.newProxyInstance(SlowSums.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      method.setAccessible(true);
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
