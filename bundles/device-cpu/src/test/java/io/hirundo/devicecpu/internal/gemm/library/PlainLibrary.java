package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A library of plain loops, which counts what is asked of it. */
public final class PlainLibrary implements GemmLibrary {
    private static final long SCRATCH_BYTES = 640;

    private final Set<DType> known;
    final AtomicInteger prepared = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    public final AtomicInteger runs = new AtomicInteger();
    final Set<TileProduct> shapes = ConcurrentHashMap.newKeySet();
    String obstacle;
    boolean faster = true;

    public PlainLibrary(DType... known) {
        this.known = Set.of(known);
    }

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
        return known.contains(operands) ? Optional.ofNullable(obstacle) : Optional.of("loops know " + known + " only");
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
        int k = Math.toIntExact(product.k());
        float[] columns = new float[Math.toIntExact(product.n() * k)];
        for (int column = 0; column < product.n(); column++) {
            for (int i = 0; i < k; i++) {
                columns[column * k + i] = value(b, product.b(), i, column);
            }
        }
        float[] left = new float[k];
        for (int row = 0; row < product.m(); row++) {
            for (int i = 0; i < k; i++) {
                left[i] = value(a, product.a(), row, i);
            }
            for (int column = 0; column < product.n(); column++) {
                long result = at(c, product.c(), row, column);
                float sum = product.accumulate() ? value(c, product.c(), row, column) : 0;
                for (int i = 0; i < k; i++) {
                    sum += left[i] * columns[column * k + i];
                }
                if (product.c().dtype() == DType.BF16) {
                    Memory.setShort(result, Bf16.fromFloat(sum));
                } else {
                    Memory.setFloat(result, sum);
                }
            }
        }
    }

    private static float value(long address, Operand operand, long row, long column) {
        long at = at(address, operand, row, column);
        return operand.dtype() == DType.FP32 ? Memory.getFloat(at) : Float.intBitsToFloat(Memory.getShort(at) << 16);
    }

    private static long at(long address, Operand operand, long row, long column) {
        long index = operand.transposed() ? column * operand.rowStride() + row : row * operand.rowStride() + column;
        return address + operand.dtype().byteSize() * index;
    }
}
