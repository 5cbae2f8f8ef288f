package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which weights travel as codes, and the magnitudes that the ranks have agreed on: those of all weights in one message, since a
 * message of its own for each would be hardly more than latency.
 */
final class Codings implements AutoCloseable {
    private final Device device;
    private final ProcessGroup group;
    private final Map<String, WeightCoding> byName = new HashMap<>();
    private final Map<String, Tensor> magnitudes = new HashMap<>();
    private final DType codeType;
    private final Tensor packed;

    /** Takes memory for the magnitudes; none where there are no codings. */
    Codings(Device device, ProcessGroup group, Map<String, WeightCoding> byName) {
        this.device = device;
        this.group = group;
        this.byName.putAll(byName);
        List<DType> types =
                byName.values().stream().map(WeightCoding::codeType).distinct().toList();
        if (types.size() > 1) {
            throw new IllegalArgumentException(
                    "codes of weights that travel together must be of one type, not " + types);
        }
        this.codeType = byName.isEmpty() ? null : types.getFirst();
        long elements = byName.values().stream()
                .mapToLong(coding -> coding.magnitudes().elements())
                .sum();
        this.packed =
                byName.isEmpty() ? null : device.allocate(MemoryCategory.COMMUNICATION, Shape.of(elements), DType.FP32);
        long first = 0;
        // The order must be that of the other ranks.
        for (String name : byName.keySet().stream().sorted().toList()) {
            Shape shape = byName.get(name).magnitudes();
            magnitudes.put(name, packed.view(first, shape));
            first += shape.elements();
        }
    }

    boolean has(String name) {
        return magnitudes.containsKey(name);
    }

    boolean isEmpty() {
        return magnitudes.isEmpty();
    }

    /** Null where there are none. */
    DType codeType() {
        return codeType;
    }

    WeightCoding of(String name) {
        return byName.get(name);
    }

    /** Of all ranks, after {@link #agree}. */
    Tensor magnitudes(String name) {
        return magnitudes.get(name);
    }

    /** Finds the magnitudes of all ranks; {@code owned} is what this one has. */
    void agree(Queue queue, List<Parameter> owned) {
        if (isEmpty()) {
            return;
        }
        device.kernels().elementwise().fill(queue, packed, 0);
        for (Parameter run : owned) {
            String name = run.spec().name();
            if (has(name)) {
                of(name).measure(queue, run.value(), run.firstElement(), magnitudes(name));
            }
        }
        queue.await(group.allReduce(queue, packed, Reduction.MAX).event());
    }

    /** Lets the codings go, whose layers may go now. What has been made with them stays. */
    void release() {
        byName.clear();
    }

    @Override
    public void close() {
        if (packed != null) {
            packed.close();
        }
    }
}
