package io.hirundo.commmpi.internal.wire;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Open MPI's C interface, version 3.1 of the standard, whose handles are addresses of symbols. One call at a time: none of
 * those that are made often blocks, and the library is not asked to sort out threads. Thread-safe.
 */
public final class OpenMpi {
    private static final int SUCCESS = 0;
    private static final int MAX_ERROR_BYTES = 512;

    private final SymbolLookup symbols;
    private final Map<String, MethodHandle> functions = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final MemorySegment errorText = Arena.global().allocate(MAX_ERROR_BYTES);
    private final MemorySegment errorLength = Arena.global().allocate(JAVA_INT);

    private OpenMpi(SymbolLookup symbols) {
        this.symbols = symbols;
    }

    /**
     * Loads the library, for as long as the process lives: MPI cannot begin twice in one.
     *
     * @throws ConfigurationException when it is not there or is another MPI
     */
    public static OpenMpi load(String library) {
        try {
            var mpi = new OpenMpi(SymbolLookup.libraryLookup(library, Arena.global()));
            mpi.handle("ompi_mpi_comm_world");
            return mpi;
        } catch (IllegalArgumentException missing) {
            throw new ConfigurationException(
                    "mesh.fabric.options.library: " + library
                            + " cannot be loaded; install Open MPI 4 or 5 (on Debian: apt-get"
                            + " install openmpi-bin libopenmpi3), or give the path of its libmpi.so",
                    missing);
        }
    }

    /** What a constant of {@code mpi.h} stands for. */
    MemorySegment handle(String symbol) {
        return symbols.find(symbol)
                .orElseThrow(() -> new ConfigurationException("mesh.fabric.options.library: it is not Open MPI (no "
                        + symbol + "); give the path of Open MPI's libmpi.so"));
    }

    /** Calls a function whose arguments are pointers and {@code int}s. */
    public void call(String function, Object... arguments) {
        lock.lock();
        try {
            int result = (int) (Object) handleOf(function, arguments).invokeExact(arguments);
            if (result != SUCCESS) {
                throw new CommunicationException(function + " failed: " + describe(result));
            }
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new IllegalStateException(function, impossible);
        } finally {
            lock.unlock();
        }
    }

    /** Several calls with nobody else's between them. */
    void together(Runnable calls) {
        lock.lock();
        try {
            calls.run();
        } finally {
            lock.unlock();
        }
    }

    private MethodHandle handleOf(String function, Object... arguments) {
        return functions.computeIfAbsent(function, name -> link(name, arguments));
    }

    private MethodHandle link(String function, Object... arguments) {
        var layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            layouts[i] = arguments[i] instanceof Integer ? JAVA_INT : ADDRESS;
        }
        MethodHandle exact =
                Linker.nativeLinker().downcallHandle(handle(function), FunctionDescriptor.of(JAVA_INT, layouts));
        return exact.asType(MethodType.genericMethodType(arguments.length))
                .asSpreader(Object[].class, arguments.length);
    }

    private String describe(int error) throws Throwable {
        Object[] arguments = {error, errorText, errorLength};
        int described = (int) (Object) handleOf("MPI_Error_string", arguments).invokeExact(arguments);
        if (described != SUCCESS) {
            return "error " + error;
        }
        byte[] text = errorText.asSlice(0, errorLength.get(JAVA_INT, 0)).toArray(JAVA_BYTE);
        return new String(text, StandardCharsets.UTF_8);
    }
}
