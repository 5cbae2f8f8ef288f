package io.hirundo.testkit.scalar.value;

import io.hirundo.kernel.host.HostTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** A tensor in host memory. New memory is filled with NaN; closed memory cannot be accessed. */
public final class ScalarTensor implements HostTensor {
  private final MemorySegment bytes;
  private final Shape shape;
  private final DType dtype;
  private final Runnable release;
  private final long elements;

  /** The same memory, when an element is accessed first: without the optimizing compiler, accesses to a segment take far longer. */
  private volatile ByteBuffer buffer;

  private ScalarTensor(MemorySegment bytes, Shape shape, DType dtype, Runnable release) {
    this.bytes = bytes;
    this.shape = shape;
    this.dtype = dtype;
    this.release = release;
    this.elements = shape.elements();
  }

  /** The caller closes it; {@code closed} is called then. */
  public static ScalarTensor allocate(Shape shape, DType dtype, Consumer<ScalarTensor> closed) {
    Arena arena = Arena.ofShared();
    var bytes = arena.allocate(shape.byteSize(dtype), 64).fill((byte) 0xff);
    var made = new ScalarTensor[1];
    made[0] = new ScalarTensor(bytes, shape, dtype, () -> {
      arena.close();
      closed.accept(made[0]);
    });
    return made[0];
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
    return dtype == other.dtype && memory().equals(other.memory());
  }

  public MemorySegment bytes() {
    return bytes;
  }

  @Override
  public MemorySegment memory() {
    if (!bytes.scope().isAlive()) {
      throw new IllegalStateException("the tensor " + this + " was used after it was closed");
    }
    return bytes;
  }

  public double get(long index) {
    return HostValues.get(buffer(), dtype, Math.toIntExact(index));
  }

  public void set(long index, double value) {
    HostValues.set(buffer(), dtype, Math.toIntExact(index), value);
  }

  private ByteBuffer buffer() {
    ByteBuffer known = buffer;
    if (known == null) {
      known = bytes.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      buffer = known;
    }
    return known;
  }

  /** All elements, row-major. */
  public double[] values() {
    return HostValues.read(bytes, dtype, Math.toIntExact(elements));
  }

  /** Sets all elements, row-major. */
  public void setValues(double[] values) {
    HostValues.write(bytes, dtype, values);
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
    if (!bytes.scope().isAlive()) {
      throw new IllegalStateException("the tensor " + this + " was used after it was closed");
    }
    if (elementOffset < 0 || elementOffset > elements() || window.elements() > elements() - elementOffset) {
      throw new IllegalArgumentException("a view " + window + " at element " + elementOffset + " leaves the tensor " + this);
    }
    var slice = bytes.asSlice(elementOffset * dtype.byteSize(), window.byteSize(dtype));
    return new ScalarTensor(slice, window, dtype, () -> {});
  }

  @Override
  public void close() {
    release.run();
  }

  @Override
  public String toString() {
    return shape + " " + dtype;
  }
}
