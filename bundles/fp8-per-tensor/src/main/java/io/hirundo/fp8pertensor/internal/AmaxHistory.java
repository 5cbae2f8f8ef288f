package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.precision.Operand;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The amax history of a layer's operands, on the device. */
final class AmaxHistory implements StepMemory, AutoCloseable {
    private static final int OPERANDS = Operand.values().length;

    private final Device device;
    private final MatrixScaledKernels kernels;
    private final int length;
    private final double room;
    private final Tensor all;
    /** For each operand the number of recorded steps, then their amax values, in no order. */
    private final Tensor state;
    /** Amax of the current step so far. */
    private final Tensor present;
    /** Amax that the scales derive from. */
    private final Tensor amax;

    private boolean gradientIsFound;
    /** The number of recorded steps; from {@link #length} on, {@link #length} plus the index of the oldest entry. */
    private int steps;

    /**
     * An empty history.
     *
     * @param length recorded steps
     * @param mostRecent whether a scale derives from the last step alone
     * @param margin headroom for larger magnitudes, as a power of two
     */
    AmaxHistory(Device device, MatrixScaledKernels kernels, int length, boolean mostRecent, int margin) {
        this.device = device;
        this.kernels = kernels;
        this.length = mostRecent ? 1 : length;
        this.room = Math.scalb(1.0, margin);
        int columns = 1 + this.length;
        this.all = device.allocate(MemoryCategory.WORKSPACE, Shape.of((long) OPERANDS * (columns + 2)), DType.FP32);
        this.state = all.view(0, Shape.of(OPERANDS, columns));
        this.present = all.rows((long) OPERANDS * columns, OPERANDS);
        this.amax = all.rows((long) OPERANDS * (columns + 1), OPERANDS);
    }

    /** Whether no step is recorded. */
    boolean isEmpty() {
        return steps == 0;
    }

    /** The amax that the scale derives from; not while this {@link #isEmpty}. */
    Tensor amax(Operand operand) {
        return amax.rows(operand.ordinal(), 1);
    }

    /** Records the weight of the current step. */
    void see(Queue queue, Tensor wNK) {
        kernels.maximum(queue, wNK, present(Operand.WEIGHT), false);
    }

    /** Records the operands that a gradient of the current step was computed from. */
    void see(Queue queue, Tensor dyTN, Tensor xTK) {
        kernels.maximum(queue, dyTN, present(Operand.OUTPUT_GRADIENT), gradientIsFound);
        kernels.maximum(queue, xTK, present(Operand.INPUT), gradientIsFound);
        gradientIsFound = true;
    }

    @Override
    public String name() {
        return "amax-" + length;
    }

    @Override
    public Tensor present() {
        return present;
    }

    private Tensor present(Operand operand) {
        return present.rows(operand.ordinal(), 1);
    }

    @Override
    public void endStep(Queue queue) {
        for (Operand operand : Operand.values()) {
            device.kernels().elementwise().copy(queue, present(operand), entries(operand, 1 + steps % length, 1));
        }
        steps = steps + 1 == 2 * length ? length : steps + 1;
        gradientIsFound = false;
        findAmax(queue);
    }

    /** Starts a new step: the next operands replace those of the current step. */
    @Override
    public void discard() {
        gradientIsFound = false;
    }

    private void findAmax(Queue queue) {
        for (Operand operand : Operand.values()) {
            kernels.maximum(queue, entries(operand, 1, Math.min(steps, length)), amax(operand), false);
        }
        device.kernels().elementwise().scale(queue, amax, room);
    }

    private Tensor entries(Operand operand, int first, int count) {
        return state.view((long) operand.ordinal() * (1 + length) + first, Shape.of(count));
    }

    @Override
    public Tensor state(Queue queue) {
        var elementwise = device.kernels().elementwise();
        for (Operand operand : Operand.values()) {
            elementwise.fill(queue, entries(operand, 0, 1), steps);
            if (steps < length) {
                elementwise.fill(queue, entries(operand, 1 + steps, length - steps), 0);
            }
        }
        return state;
    }

    @Override
    public void restored(Queue queue) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Float.BYTES, Float.BYTES);
            device.transfer().download(queue, entries(Operand.INPUT, 0, 1), host);
            queue.drain();
            steps = (int) host.get(ValueLayout.JAVA_FLOAT, 0);
        }
        if (!isEmpty()) {
            findAmax(queue);
        }
    }

    @Override
    public void close() {
        all.close();
    }
}
