package io.hirundo.commmpi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A world of one rank, and groups of one: no thread, no waiting, the caller's own queue. */
class SelfGroupTest {
  private final List<String> calls = new ArrayList<>();
  private final Fabric fabric = new MpiFabric(
          new MpiOptions(), new Launched(0, 1), MemoryWire.wires(1)::getFirst, hub -> {});
  private final Queue queue = queue();
  private boolean happened = true;

  @Test
  void aGroupOfOneIsTheSameGroupEachTime() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA, Axis.TENSOR);
      assertSame(group, world.along(Axis.TENSOR, Axis.DATA));
      assertEquals(0, group.rank());
      assertEquals(1, group.size());
      assertEquals(1, world.along().size());
      assertSame(world.group(List.of(0)), world.group(List.of(0)));
    }
  }

  @Test
  void reductionsAndBroadcastsLeaveTheirOperand() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA);
      var pending = group.allReduce(queue, new Named("x", 3), Reduction.SUM);
      group.broadcast(queue, new Named("x", 3), 0);
      group.barrier();
      assertEquals(List.of("record", "record"), calls);
      assertTrue(pending.event().hasHappened());
      pending.await();
    }
  }

  @Test
  void gathersAndScattersCopyInTheCallersQueue() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA);
      group.allGather(queue, new Named("shard", 3), new Named("whole", 3));
      group.reduceScatter(queue, new Named("whole", 5), new Named("shard", 5));
      Tensor same = new Named("same", 2);
      group.allGather(queue, same, same);
    }
    assertEquals(List.of("copy shard whole", "record", "copy whole shard", "record", "record"), calls);
  }

  @Test
  void waitsForADeviceThatIsNotDoneYet() {
    happened = false;
    try (World world = connect()) {
      world.along(Axis.DATA).allReduce(queue, new Named("x", 3), Reduction.MAX).await();
    }
    assertEquals(List.of("record", "await"), calls);
  }

  @Test
  void refusesOperandsThatDoNotFit() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA);
      assertThrows(
          IllegalArgumentException.class, () -> group.allGather(queue, new Named("shard", 3), new Named("whole", 6)));
      assertThrows(IllegalArgumentException.class, () -> group.broadcast(queue, new Named("x", 3), 1));
    }
  }

  @Test
  void hasNobodyToSendTo() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.PIPELINE);
      group.barrier();
      var send = assertThrows(CommunicationException.class, () -> group.send(queue, new Named("x", 3), 0));
      assertEquals(
          "rank 0: send to peer 0, number 1 along [PIPELINE] (ranks [0]) is impossible in a group of 1, which has no peers",
          send.getMessage());
      var receive = assertThrows(CommunicationException.class, () -> group.receive(queue, new Named("x", 3), 1));
      assertTrue(receive.getMessage().contains("number 2"), receive.getMessage());
    }
  }

  @Test
  void anAbortEndsPendingAndLaterCollectivesWithItsCause() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA);
      group.allReduce(queue, new Named("x", 3), Reduction.SUM);
      var cause = new IllegalStateException("no more power");
      world.abort(cause);
      world.abort(new IllegalStateException("a later failure"));
      var later = assertThrows(CommunicationException.class, group::barrier);
      assertEquals("rank 0: barrier, number 1 along [DATA] (ranks [0]) was ended: rank 0 failed: no more power", later.getMessage());
      assertSame(cause, later.getCause());
    }
  }

  @Test
  void aClosedWorldServesNoMore() {
    World world = connect();
    ProcessGroup group = world.along(Axis.DATA);
    world.close();
    assertThrows(CommunicationException.class, group::barrier);
  }

  private World connect() {
    return fabric.connect(0, Ranks.mesh(1, 1, 1), device());
  }

  private Device device() {
    var elementwise =
        fake(
            ElementwiseKernels.class,
            (proxy, method, arguments) -> {
              assertSame(queue, arguments[0]);
              calls.add(method.getName() + " " + arguments[1] + " " + arguments[2]);
              return null;
            });
    var kernels = fake(Kernels.class, (proxy, method, arguments) -> elementwise);
    return fake(Device.class, (proxy, method, arguments) -> kernels);
  }

  private Queue queue() {
    return fake(
        Queue.class,
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return proxy == arguments[0];
          }
          calls.add(method.getName());
          return method.getName().equals("record") ? event() : null;
        });
  }

  private Event event() {
    return fake(
        Event.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("await")) {
            calls.add("await");
            return null;
          }
          return happened;
        });
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(SelfGroupTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private record Named(String name, long count) implements Tensor {
    @Override
    public Shape shape() {
      return Shape.of(count);
    }

    @Override
    public DType dtype() {
      return DType.FP32;
    }

    @Override
    public Tensor view(long elementOffset, Shape window) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      throw new AssertionError(name + " closed by the group");
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
