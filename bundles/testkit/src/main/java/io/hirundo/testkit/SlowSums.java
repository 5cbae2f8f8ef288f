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
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A device whose sums take a third of a second. */
final class SlowSums implements ComputeBackend {
  private static final long NANOS = 300_000_000;

  final CountDownLatch begun = new CountDownLatch(2);
  private final Map<Device, AtomicInteger> running = Collections.synchronizedMap(new IdentityHashMap<>());
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

  /** Sums that run on a device now. */
  int running(Device device) {
    return running.get(device).get();
  }

  /** Sums that run on any device now. */
  int running() {
    return running.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  @Override
  public Device open(int ordinal, DeviceLedger ledger) {
    Device device = real.open(ordinal, ledger);
    var own = new AtomicInteger();
    var elementwise = like(ElementwiseKernels.class, device.kernels().elementwise(), "add", call -> sum(call, own));
    var kernels = like(Kernels.class, device.kernels(), "elementwise", call -> elementwise);
    Device slow = like(Device.class, device, "kernels", call -> kernels);
    running.put(slow, own);
    return slow;
  }

  private interface Real {
    Object call() throws Throwable;
  }

  private interface Instead {
    Object call(Real call) throws Throwable;
  }

  private Object sum(Real call, AtomicInteger own) throws Throwable {
    own.incrementAndGet();
    begun.countDown();
    long end = System.nanoTime() + NANOS;
    while (System.nanoTime() - end < 0) {
      Thread.interrupted();
      LockSupport.parkNanos(end - System.nanoTime());
    }
    try {
      return call.call();
    } finally {
      own.decrementAndGet();
    }
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
