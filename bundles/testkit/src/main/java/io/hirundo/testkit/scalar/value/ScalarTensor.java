package io.hirundo.testkit.scalar.value;

import io.hirundo.kernel.host.HostTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** A tensor in host memory. New memory is filled with NaN; closed memory cannot be accessed. */
public final class ScalarTensor implements HostTensor {
    private final ScalarMemory memory;
    private final long offsetBytes;
    private final MemorySegment bytes;
    private final Shape shape;
    private final DType dtype;
    /** Null in views, which release nothing. */
    private final Consumer<ScalarTensor> closed;

    private final long elements;

    /** The same memory, when an element is accessed first: without the optimizing compiler, accesses to a segment take far longer. */
    private volatile ByteBuffer buffer;

    private ScalarTensor(
            ScalarMemory memory, long offsetBytes, Shape shape, DType dtype, Consumer<ScalarTensor> closed) {
        this.memory = memory;
        this.offsetBytes = offsetBytes;
        this.bytes = memory.bytes().asSlice(offsetBytes, shape.byteSize(dtype));
        this.shape = shape;
        this.dtype = dtype;
        this.closed = closed;
        this.elements = shape.elements();
    }

    /** The caller closes it; {@code closed} is called then. */
    public static ScalarTensor allocate(Shape shape, DType dtype, Consumer<ScalarTensor> closed) {
        return new ScalarTensor(new ScalarMemory(shape.byteSize(dtype)), 0, shape, dtype, closed);
    }

    /**
     * The tensor as one of the testkit.
     *
     * @throws IllegalArgumentException if another device made it; names the operand
     */
    public static ScalarTensor of(String operand, Tensor tensor) {
        if (tensor instanceof ScalarTensor scalar) {
            return scalar;
        }
        throw new IllegalArgumentException(operand + " is not a tensor of the testkit's device");
    }

    /** Whether the other one has the same elements in the same memory. */
    public boolean isSame(ScalarTensor other) {
        return dtype == other.dtype && bytes().equals(other.bytes());
    }

    /** For one access at once, by the testkit. */
    public MemorySegment bytes() {
        memory.requireOpen(this);
        return bytes;
    }

    @Override
    public MemorySegment memory() {
        return memory.shared(this).asSlice(offsetBytes, bytes.byteSize());
    }

    public double get(long index) {
        return HostValues.get(buffer(), dtype, Math.toIntExact(index));
    }

    public void set(long index, double value) {
        HostValues.set(buffer(), dtype, Math.toIntExact(index), value);
    }

    private ByteBuffer buffer() {
        memory.requireOpen(this);
        ByteBuffer known = buffer;
        if (known == null) {
            known = bytes.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            buffer = known;
        }
        return known;
    }

    /** All elements, row-major. */
    public double[] values() {
        return HostValues.read(bytes(), dtype, Math.toIntExact(elements));
    }

    /** Sets all elements, row-major. */
    public void setValues(double[] values) {
        HostValues.write(bytes(), dtype, values);
    }

    @Override
    public long elements() {
        return elements;
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public DType dtype() {
        return dtype;
    }

    @Override
    public Tensor view(long elementOffset, Shape window) {
        memory.requireOpen(this);
        if (elementOffset < 0 || elementOffset > elements() || window.elements() > elements() - elementOffset) {
            throw new IllegalArgumentException(
                    "a view " + window + " at element " + elementOffset + " leaves the tensor " + this);
        }
        return new ScalarTensor(memory, offsetBytes + elementOffset * dtype.byteSize(), window, dtype, null);
    }

    @Override
    public void close() {
        if (closed != null) {
            memory.close(this);
            closed.accept(this);
        }
    }

    @Override
    public String toString() {
        return shape + " " + dtype;
    }
}
