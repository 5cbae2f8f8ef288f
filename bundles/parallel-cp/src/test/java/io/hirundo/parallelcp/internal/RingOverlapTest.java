package io.hirundo.parallelcp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How much of the transfers attention hides, on a clock that only transfers and attention advance. It simulates one rank of several that
 * do the same at the same time. Kernels compute garbage.
 */
class RingOverlapTest {
    private static final int RANKS = 4;
    private static final double PAIR_MILLIS = 10;
    private static final double MESSAGE_MILLIS = 4;
    /** Of keys and values. */
    private static final double HOP_MILLIS = 2 * MESSAGE_MILLIS;

    private double nowMillis;
    private double linkFreeMillis;

    @Test
    void forwardHidesAllTransfers() throws Exception {
        assertEquals((RANKS - 1) * HOP_MILLIS, millis(false, false));
        assertEquals(0, millis(true, false));
    }

    @Test
    void backwardWaitsOnlyForReturningGradients() throws Exception {
        assertEquals(2 * (RANKS - 1) * HOP_MILLIS, millis(false, true));
        assertEquals(HOP_MILLIS, millis(true, true));
    }

    /** The time of a pass in addition to attention of its pairs of pieces. */
    private double millis(boolean overlap, boolean backward) throws Exception {
        nowMillis = 0;
        linkFreeMillis = 0;
        return ThreadRanks.run(1, new Wire(1), rank -> {
                    Device device = rank.device();
                    Tensor headMajor = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2, 1, 3, 2), DType.FP32);
                    Tensor tokenMajor = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(6, 2), DType.FP32);
                    Tensor logSumExp = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2, 1, 3), DType.FP32);
                    Tensor gradient = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2, 1, 3, 2), DType.FP32);
                    var in = new QueryKeyValue(headMajor, headMajor, headMajor);
                    var batch = new MicroBatch(1, 6, 2, null, null, null, null, Optional.empty());
                    var context = new TestContext(clocked(device), rank.queue(), batch, DType.FP32);
                    AttentionCore core = new RingAttention(group(), new Heads(1, 1, 2), AttentionOptions.NONE, overlap);
                    if (backward) {
                        var gradients = new QueryKeyValue(gradient, gradient, gradient);
                        core.backward(context, tokenMajor, in, tokenMajor, logSumExp, gradients);
                    } else {
                        core.forward(context, in, tokenMajor, logSumExp);
                    }
                    return nowMillis - (2 * RANKS + 1) * PAIR_MILLIS;
                })
                .getFirst();
    }

    /** The device, whose attention takes its time. */
    private Device clocked(Device device) {
        Kernels kernels = device.kernels();
        var attention = (AttentionKernels) proxy(AttentionKernels.class, kernels.attention(), method -> {
            nowMillis += method.equals("merge") ? 0 : PAIR_MILLIS;
            return null;
        });
        var all = (Kernels) proxy(Kernels.class, kernels, method -> method.equals("attention") ? attention : null);
        return (Device) proxy(Device.class, device, method -> method.equals("kernels") ? all : null);
    }

    /** What answers instead of a method, or null for the method itself. */
    @FunctionalInterface
    private interface Answer {
        Object to(String method);
    }

    private static Object proxy(Class<?> type, Object real, Answer answer) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            Object instead = answer.to(method.getName());
            try {
                return instead != null ? instead : method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    /** Sends follow one another over the link; what the rank before sends at the same time arrives at the same time. */
    private ProcessGroup group() {
        return (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "rank" -> 1;
                    case "size" -> RANKS;
                    case "ranks" -> IntStream.range(0, RANKS).boxed().toList();
                    case "send" -> message(MESSAGE_MILLIS);
                    case "receive" -> message(0);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Pending message(double millis) {
        linkFreeMillis = Math.max(linkFreeMillis, nowMillis) + millis;
        double end = linkFreeMillis;
        Event event = new Event() {
            @Override
            public boolean hasHappened() {
                return nowMillis >= end;
            }

            @Override
            public void await() {
                nowMillis = Math.max(nowMillis, end);
            }
        };
        return () -> event;
    }
}
