package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The memory in bytes that a change of the form of a layout's weights takes.
 *
 * @param present that the weights hold now
 * @param most while they change
 * @param after when they have changed
 * @param staying of what a gather in the new form brings, until it is forgotten
 * @param passing only until the gather has ended
 * @param largest of the tensors
 */
record FormCost(long present, long most, long after, long staying, long passing, long largest) {
    /** No device rounds allocations up to more. */
    private static final long ALIGNMENT_BYTES = 512;

    /** What an allocation may take. */
    static long allocated(long byteSize) {
        return Math.ceilDiv(byteSize, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    }

    /** What weights take beyond what they hold now, while one layout after the other changes and then in the moments of a step. */
    private static long additional(List<FormCost> costs, List<StepMoment> moments) {
        long now = 0;
        long most = 0;
        for (FormCost cost : costs) {
            most = Math.max(most, now + cost.most - cost.present);
            now += cost.after - cost.present;
        }
        return Math.max(
                most,
                moments.stream()
                        .mapToLong(moment -> additional(costs, moment))
                        .max()
                        .orElse(0));
    }

    /** What weights take at a moment of a step in the new form beyond what they hold now; negative where the new form takes less. */
    private static long additional(List<FormCost> costs, StepMoment moment) {
        long changed =
                costs.stream().mapToLong(cost -> cost.after - cost.present).sum();
        long staying = moment.gathered().stream()
                .distinct()
                .mapToLong(index -> costs.get(index).staying)
                .sum();
        long passing = moment.onTheirWay().stream()
                .distinct()
                .mapToLong(index -> costs.get(index).passing)
                .sum();
        return changed + staying + passing;
    }

    /**
     * Allocates and frees the weights of the change and of all moments, and then weights and gradients of the moment that needs most of both.
     *
     * @param freedBytes that others free before; not allocated
     * @throws io.hirundo.DeviceException where there is no room
     */
    static void rehearse(Device device, List<FormCost> costs, List<StepMoment> moments, long freedBytes) {
        long largest = costs.stream().mapToLong(FormCost::largest).max().orElse(0);
        var pieces = new ArrayList<Tensor>();
        try {
            allocate(device, MemoryCategory.WEIGHTS, additional(costs, moments) - freedBytes, largest, pieces);
        } finally {
            pieces.forEach(Tensor::close);
        }
        pieces.clear();
        StepMoment fullest = fullest(costs, moments);
        try {
            long weights = additional(costs, fullest) - freedBytes;
            allocate(device, MemoryCategory.WEIGHTS, weights, largest, pieces);
            long gradients = fullest.gradients().bytes();
            allocate(
                    device,
                    MemoryCategory.GRADIENTS,
                    gradients + Math.min(0, weights),
                    fullest.gradients().largestBytes(),
                    pieces);
        } finally {
            pieces.forEach(Tensor::close);
        }
    }

    private static StepMoment fullest(List<FormCost> costs, List<StepMoment> moments) {
        return moments.stream()
                .max(Comparator.comparingLong(
                        moment -> additional(costs, moment) + moment.gradients().bytes()))
                .orElseThrow();
    }

    /** In pieces no larger than the largest tensor; nothing if there are no bytes to allocate. */
    private static void allocate(
            Device device, MemoryCategory category, long bytes, long largest, List<Tensor> pieces) {
        for (long left = bytes; left > 0; left -= pieces.getLast().byteSize()) {
            long elements = Math.ceilDiv(Math.min(left, Math.max(largest, ALIGNMENT_BYTES)), Float.BYTES);
            pieces.add(device.allocate(category, Shape.of(elements), DType.FP32));
        }
    }
}
