package io.hirundo.gemmonednn.internal;

import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A matmul primitive with its memory descriptors. Each running thread borrows a {@link Run}, of which there are as many as run at once. */
final class MatMul implements PreparedProduct {
    private static final int FP32 = 3;
    private static final int BF16 = 2;
    private static final int ARGUMENT_A = 1;
    private static final int ARGUMENT_B = 33;
    private static final int ARGUMENT_C = 17;
    private static final int ARGUMENT_SCRATCHPAD = 80;
    private static final int QUERY_SCRATCHPAD = 136;
    private static final int USER_SCRATCHPAD = 1;

    private final Library library;
    /** What destroys each native object, the latest first. */
    private final List<Runnable> owned = new ArrayList<>();
    /** What destroys those that only the primitive's creation needs: a primitive keeps its own copy of its large description. */
    private final List<Runnable> temporary = new ArrayList<>();

    private final long primitive;
    private final long[] descriptors;
    private final long scratchBytes;
    private final Deque<Run> idle = new ArrayDeque<>();

    /** What one thread needs: a stream, and a memory object for each argument. */
    private record Run(long stream, long a, long b, long c, long scratch, MemorySegment arguments) {}

    MatMul(Library library, TileProduct product) {
        this.library = library;
        library.calls().useOneThread();
        try {
            long a = descriptor(product.m(), product.k(), product.a());
            long b = descriptor(product.k(), product.n(), product.b());
            long c = descriptor(product.m(), product.n(), product.c());
            long attributes = attributes(product.accumulate());
            long description = create(
                    temporary,
                    "dnnl_matmul_primitive_desc_create",
                    "dnnl_primitive_desc_destroy",
                    library.engine(),
                    a,
                    b,
                    0L,
                    c,
                    attributes);
            long lent = library.value("dnnl_primitive_desc_query_md", description, QUERY_SCRATCHPAD, 0);
            scratchBytes = lent == 0 ? 0 : library.value("dnnl_memory_desc_get_size", lent);
            long scratch =
                    scratchBytes == 0 ? 0 : create(owned, "dnnl_memory_desc_clone", "dnnl_memory_desc_destroy", lent);
            descriptors = new long[] {a, b, c, scratch};
            primitive = create(owned, "dnnl_primitive_create", "dnnl_primitive_destroy", description);
        } catch (RuntimeException e) {
            close();
            throw e;
        } finally {
            destroy(temporary);
        }
    }

    private long descriptor(long rows, long columns, Operand operand) {
        try (Arena arena = Arena.ofConfined()) {
            long extents =
                    arena.allocateFrom(ValueLayout.JAVA_LONG, rows, columns).address();
            long stride = operand.rowStride();
            long strides = (operand.transposed()
                            ? arena.allocateFrom(ValueLayout.JAVA_LONG, 1, stride)
                            : arena.allocateFrom(ValueLayout.JAVA_LONG, stride, 1))
                    .address();
            int type = operand.dtype() == DType.BF16 ? BF16 : FP32;
            return create(
                    owned,
                    "dnnl_memory_desc_create_with_strides",
                    "dnnl_memory_desc_destroy",
                    2,
                    extents,
                    type,
                    strides);
        }
    }

    private long attributes(boolean accumulate) {
        long attributes = create(temporary, "dnnl_primitive_attr_create", "dnnl_primitive_attr_destroy");
        library.call("dnnl_primitive_attr_set_scratchpad_mode", attributes, USER_SCRATCHPAD);
        library.call("dnnl_primitive_attr_set_deterministic", attributes, 1);
        if (accumulate) {
            long sum = create(temporary, "dnnl_post_ops_create", "dnnl_post_ops_destroy");
            library.call("dnnl_post_ops_append_sum", sum, 1f, 0, 0);
            library.call("dnnl_primitive_attr_set_post_ops", attributes, sum);
        }
        return attributes;
    }

    private long create(List<Runnable> owners, String function, String destroy, Object... arguments) {
        long created = library.create(function, arguments);
        owners.addFirst(() -> library.call(destroy, created));
        return created;
    }

    private static void destroy(List<Runnable> owners) {
        owners.forEach(Runnable::run);
        owners.clear();
    }

    @Override
    public long scratchBytes() {
        return scratchBytes;
    }

    @Override
    public void run(long a, long b, long c, long scratch) {
        Calls calls = library.calls();
        calls.useOneThread();
        Run run = borrow();
        calls.setData(run.a, a);
        calls.setData(run.b, b);
        calls.setData(run.c, c);
        if (scratchBytes > 0) {
            calls.setData(run.scratch, scratch);
        }
        calls.execute(primitive, run.stream, scratchBytes > 0 ? 4 : 3, run.arguments.address());
        synchronized (idle) {
            idle.push(run);
        }
    }

    private Run borrow() {
        synchronized (idle) {
            Run run = idle.poll();
            return run != null ? run : newRun();
        }
    }

    private Run newRun() {
        long stream = create(owned, "dnnl_stream_create", "dnnl_stream_destroy", library.engine(), 1);
        long a = memory(0);
        long b = memory(1);
        long c = memory(2);
        long scratch = scratchBytes == 0 ? 0 : memory(3);
        // dnnl_exec_arg_t: int arg, dnnl_memory_t memory
        MemorySegment arguments = Arena.ofAuto().allocate(4 * 16, 8);
        int[] names = {ARGUMENT_A, ARGUMENT_B, ARGUMENT_C, ARGUMENT_SCRATCHPAD};
        long[] memories = {a, b, c, scratch};
        for (int i = 0; i < names.length; i++) {
            arguments.set(ValueLayout.JAVA_INT, 16L * i, names[i]);
            arguments.set(ValueLayout.JAVA_LONG, 16L * i + 8, memories[i]);
        }
        return new Run(stream, a, b, c, scratch, arguments);
    }

    private long memory(int argument) {
        return create(owned, "dnnl_memory_create", "dnnl_memory_destroy", descriptors[argument], library.engine(), 0L);
    }

    @Override
    public void close() {
        destroy(owned);
    }
}
