package io.hirundo.lib.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A group of one rank uses the caller's queue and no thread. */
class SelfGroupTest {
    private final List<String> calls = new ArrayList<>();
    private final Queue queue = queue();
    private boolean happened = true;

    @Test
    void reductionsAndBroadcastsDoNotChangeOperands() {
        ProcessGroup group = group("along [DATA]");
        var pending = group.allReduce(queue, new Named("x", 3), Reduction.SUM);
        group.broadcast(queue, new Named("x", 3), 0);
        group.barrier();
        assertEquals(List.of("record", "record"), calls);
        assertTrue(pending.event().hasHappened());
        pending.await();
    }

    @Test
    void gathersAndScattersCopyInTheCallersQueue() {
        ProcessGroup group = group("along [DATA]");
        group.allGather(queue, new Named("shard", 3), new Named("whole", 3));
        group.reduceScatter(queue, new Named("whole", 5), new Named("shard", 5));
        Tensor same = new Named("same", 2);
        group.allGather(queue, same, same);
        assertEquals(List.of("copy shard whole", "record", "copy whole shard", "record", "record"), calls);
    }

    @Test
    void awaitBlocksUntilDeviceWorkEnds() {
        happened = false;
        group("along [DATA]").allReduce(queue, new Named("x", 3), Reduction.MAX).await();
        assertEquals(List.of("record", "await"), calls);
    }

    @Test
    void rejectsSendAndReceive() {
        ProcessGroup group = group("along [PIPELINE]");
        group.barrier();
        var send = assertThrows(CommunicationException.class, () -> group.send(queue, new Named("x", 3), 0));
        assertEquals(
                "rank 0: send to peer 0, number 1 along [PIPELINE] (ranks [0]) is not possible in a group of 1, which has no peers",
                send.getMessage());
        var receive = assertThrows(CommunicationException.class, () -> group.receive(queue, new Named("x", 3), 1));
        assertTrue(receive.getMessage().contains("number 2"), receive.getMessage());
    }

    private ProcessGroup group(String name) {
        LaneHost host = fake(LaneHost.class, (proxy, method, arguments) -> null);
        return new SelfGroup(host, new GroupName(name, List.of(0)), elementwise());
    }

    private ElementwiseKernels elementwise() {
        return fake(ElementwiseKernels.class, (proxy, method, arguments) -> {
            assertSame(queue, arguments[0]);
            calls.add(method.getName() + " " + arguments[1] + " " + arguments[2]);
            return null;
        });
    }

    private Queue queue() {
        return fake(Queue.class, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return proxy == arguments[0];
            }
            calls.add(method.getName());
            return method.getName().equals("record") ? event() : null;
        });
    }

    private Event event() {
        return fake(Event.class, (proxy, method, arguments) -> {
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
