package io.hirundo.gemmonednn.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.gemmonednn.internal.NativeFiles.Opened;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * oneDNN's C API, version 3 (oneapi/dnnl/dnnl.h), as far as it is used while GEMMs are prepared. Pointers are {@code long}s. What a
 * GEMM calls while it runs is bound in {@link Calls}.
 */
final class Library {
    /** Memory descriptors with strides, and the scratchpad mode of matmul, are as they are here since 3.1. */
    private static final int LEAST_MINOR = 1;

    static final int SUCCESS = 0;

    private static final int MAJOR = 3;
    private static final int CPU_ENGINE = 1;
    private static final int STRICT = 0;

    private final SymbolLookup symbols;
    private final Map<String, MethodHandle> bound = new ConcurrentHashMap<>();
    private final String version;
    private final Instructions instructions;
    private final long engine;
    private final Calls calls;

    private Library(Opened opened) {
        symbols = opened.oneDnn();
        version = requireVersion();
        instructions = new Instructions(number("dnnl_get_effective_cpu_isa"));
        calls = new Calls(opened);
        calls.useOneThread();
        // An environment variable could otherwise let FP32 GEMMs round their operands to BF16.
        call("dnnl_set_default_fpmath_mode", STRICT);
        engine = create("dnnl_engine_create", CPU_ENGINE, 0L);
    }

    /** @throws ConfigurationException if this is a version whose API is another */
    static Library open(Opened opened) {
        return new Library(opened);
    }

    private String requireVersion() {
        try {
            // dnnl_version_t: major, minor, patch, and more.
            var found = MemorySegment.ofAddress(
                            (long) bind("dnnl_version", ValueLayout.JAVA_LONG).invoke())
                    .reinterpret(12);
            int major = found.get(ValueLayout.JAVA_INT, 0);
            int minor = found.get(ValueLayout.JAVA_INT, 4);
            String text = major + "." + minor + "." + found.get(ValueLayout.JAVA_INT, 8);
            if (major != MAJOR || minor < LEAST_MINOR) {
                throw new ConfigurationException(
                        "oneDNN " + text + " has another API than 3.1 and later: install a bundle with oneDNN 3");
            }
            return text;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    String description() {
        return "oneDNN " + version + " with " + instructions;
    }

    Instructions instructions() {
        return instructions;
    }

    long engine() {
        return engine;
    }

    Calls calls() {
        return calls;
    }

    /** Calls {@code function(out, arguments...)} and returns what it wrote to {@code out}. */
    long create(String function, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            Object[] all = new Object[arguments.length + 1];
            all[0] = out.address();
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            call(function, all);
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * Calls a function that returns a status. Each argument is an {@code int}, {@code long} or {@code float} of C, as its Java type says.
     *
     * @throws DeviceException if the function fails
     */
    void call(String function, Object... arguments) {
        int status = (int) invoke(function, ValueLayout.JAVA_INT, arguments);
        if (status != SUCCESS) {
            throw failure(function, status);
        }
    }

    /** Calls a function that returns a pointer or size. */
    long value(String function, Object... arguments) {
        return (long) invoke(function, ValueLayout.JAVA_LONG, arguments);
    }

    private int number(String function) {
        return (int) invoke(function, ValueLayout.JAVA_INT);
    }

    static DeviceException failure(String function, int status) {
        String reason = switch (status) {
            case 1 -> "no memory";
            case 2 -> "invalid arguments";
            case 3 -> "not implemented";
            default -> "status " + status;
        };
        return new DeviceException(
                "oneDNN: " + function + " failed: " + reason + "; set device.options.gemm: vector to do without it");
    }

    private Object invoke(String function, MemoryLayout result, Object... arguments) {
        MemoryLayout[] layouts = Arrays.stream(arguments).map(Library::layout).toArray(MemoryLayout[]::new);
        try {
            return bound.computeIfAbsent(function, name -> bind(name, result, layouts))
                    .invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(function + " failed", e);
        }
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Integer _ -> ValueLayout.JAVA_INT;
            case Long _ -> ValueLayout.JAVA_LONG;
            case Float _ -> ValueLayout.JAVA_FLOAT;
            default -> throw new IllegalArgumentException("no C type for " + argument.getClass());
        };
    }

    private MethodHandle bind(String function, MemoryLayout result, MemoryLayout... arguments) {
        return bind(symbols, function, FunctionDescriptor.of(result, arguments));
    }

    /** @throws ConfigurationException if the library has no such function */
    @SuppressWarnings("restricted")
    static MethodHandle bind(SymbolLookup symbols, String function, FunctionDescriptor type) {
        return symbols.find(function)
                .map(address -> Linker.nativeLinker().downcallHandle(address, type))
                .orElseThrow(() -> new ConfigurationException(
                        "this oneDNN has no function " + function + ": it is too old, or built without it"));
    }
}
