package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A library of plain loops over FP32, which counts what is asked of it. */
final class PlainLibrary implements GemmLibrary {
  private static final long SCRATCH_BYTES = 640;

  final AtomicInteger prepared = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();
  final AtomicInteger runs = new AtomicInteger();
  final Set<TileProduct> shapes = ConcurrentHashMap.newKeySet();
  String obstacle;
  boolean faster = true;

  @Override
  public String name() {
    return "plain";
  }

  @Override
  public String description() {
    return "plain loops";
  }

  @Override
  public Optional<String> obstacle(DType operands) {
    return operands == DType.FP32 ? Optional.ofNullable(obstacle) : Optional.of("loops know FP32 only");
  }

  @Override
  public boolean isFaster(DType operands) {
    return faster;
  }

  @Override
  public PreparedProduct prepare(TileProduct product) {
    prepared.incrementAndGet();
    shapes.add(product);
    return new PreparedProduct() {
      @Override
      public long scratchBytes() {
        return SCRATCH_BYTES;
      }

      @Override
      public void run(long a, long b, long c, long scratch) {
        runs.incrementAndGet();
        Memory.zero(scratch, SCRATCH_BYTES);
        multiply(product, a, b, c);
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  private static void multiply(TileProduct product, long a, long b, long c) {
    for (int row = 0; row < product.m(); row++) {
      for (int column = 0; column < product.n(); column++) {
        long result = at(c, product.c(), row, column);
        float sum = product.accumulate() ? Memory.getFloat(result) : 0;
        for (int i = 0; i < product.k(); i++) {
          sum += Memory.getFloat(at(a, product.a(), row, i)) * Memory.getFloat(at(b, product.b(), i, column));
        }
        Memory.setFloat(result, sum);
      }
    }
  }

  private static long at(long address, Operand operand, long row, long column) {
    long index = operand.transposed() ? column * operand.rowStride() + row : row * operand.rowStride() + column;
    return address + 4 * index;
  }
}
