package io.hirundo.commlocal.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalFabricTest {
  private final List<String> calls = new ArrayList<>();
  private final Fabric fabric = new LocalFactory().create(new NoOptions());
  private final Queue queue = queue();
  private boolean happened = true;

  @Test
  void oneRankLivesHere() {
    assertEquals(List.of(0), fabric.localRanks(mesh(1, 1)));
    try (World world = connect()) {
      assertEquals(0, world.rank());
      assertEquals(1, world.mesh().ranks());
    }
  }

  @Test
  void refusesMoreRanksThanItServes() {
    var refusal = assertThrows(ConfigurationException.class, () -> fabric.localRanks(mesh(2, 4)));
    assertEquals(
        "mesh: 8 ranks (tensor 2, data 4), but fabric local serves one rank until the parallel bundles are there;"
            + " set every axis of the mesh to 1",
        refusal.getMessage());
    assertThrows(ConfigurationException.class, () -> fabric.connect(0, mesh(1, 2), device()));
    assertThrows(IllegalArgumentException.class, () -> fabric.connect(1, mesh(1, 1), device()));
  }

  @Test
  void aGroupOfOneIsTheSameGroupEachTime() {
    try (World world = connect()) {
      ProcessGroup group = world.along(Axis.DATA, Axis.TENSOR);
      assertSame(group, world.along(Axis.TENSOR, Axis.DATA));
      assertEquals(0, group.rank());
      assertEquals(1, group.size());
      assertEquals(1, world.along().size());
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
          "rank 0: send to peer 0 number 1 along [PIPELINE] is impossible in a group of 1, which has no peers",
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
      assertEquals("rank 0: barrier number 1 along [DATA] was ended: no more power", later.getMessage());
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
    return fabric.connect(0, mesh(1, 1), device());
  }

  private static Mesh mesh(int tensor, int data) {
    var sizes = new LinkedHashMap<Axis, Integer>();
    sizes.put(Axis.TENSOR, tensor);
    sizes.put(Axis.PIPELINE, 1);
    sizes.put(Axis.DATA, data);
    return new Mesh(sizes);
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
    return type.cast(Proxy.newProxyInstance(LocalFabricTest.class.getClassLoader(), new Class<?>[] {type}, handler));
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
