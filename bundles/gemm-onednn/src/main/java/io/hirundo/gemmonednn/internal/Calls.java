package io.hirundo.gemmonednn.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.gemmonednn.internal.NativeFiles.Opened;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** What a GEMM calls while it runs. */
final class Calls {
    private final MethodHandle setData;
    private final MethodHandle execute;
    private final MethodHandle setThreads;

    /** OpenMP keeps the number of threads for each thread that calls it: a device's workers must not start others. */
    private final ThreadLocal<Boolean> single = ThreadLocal.withInitial(() -> false);

    Calls(Opened opened) {
        setData = Library.bind(
                opened.oneDnn(), "dnnl_memory_set_data_handle", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
        execute = Library.bind(
                opened.oneDnn(),
                "dnnl_primitive_execute",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
        setThreads = Library.bind(opened.openMp(), "omp_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT));
    }

    /** From now on the library computes on the calling thread alone when it calls. */
    void useOneThread() {
        if (!single.get()) {
            try {
                setThreads.invokeExact(1);
            } catch (Throwable e) {
                throw unexpected(e);
            }
            single.set(true);
        }
    }

    /** Lets a memory object point to an address. */
    void setData(long memory, long address) {
        int status;
        try {
            status = (int) setData.invokeExact(memory, address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (status != Library.SUCCESS) {
            throw Library.failure("dnnl_memory_set_data_handle", status);
        }
    }

    /** @param arguments address of {@code count} records {@code dnnl_exec_arg_t} */
    void execute(long primitive, long stream, int count, long arguments) {
        int status;
        try {
            status = (int) execute.invokeExact(primitive, stream, count, arguments);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (status != Library.SUCCESS) {
            throw Library.failure("dnnl_primitive_execute", status);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case RuntimeException runtime -> runtime;
            case Error error -> throw error;
            default -> new IllegalStateException("a call of oneDNN failed", e);
        };
    }
}
