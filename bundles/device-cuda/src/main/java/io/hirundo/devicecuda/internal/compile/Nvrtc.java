package io.hirundo.devicecuda.internal.compile;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.NativeLibrary;
import io.hirundo.devicecuda.internal.driver.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** NVIDIA's runtime compiler {@code libnvrtc}. Thread-safe. */
public final class Nvrtc {
    private static final Logger LOG = LoggerFactory.getLogger(Nvrtc.class);

    private final NativeLibrary library;
    private final MethodHandle getVersion;
    private final MethodHandle createProgram;
    private final MethodHandle compileProgram;
    private final MethodHandle destroyProgram;
    private final MethodHandle logSize;
    private final MethodHandle log;
    private final MethodHandle cubinSize;
    private final MethodHandle cubin;

    private Nvrtc(NativeLibrary library) {
        this.library = library;
        getVersion = library.function("nvrtcVersion", ADDRESS, ADDRESS);
        createProgram = library.function("nvrtcCreateProgram", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
        compileProgram = library.function("nvrtcCompileProgram", JAVA_LONG, JAVA_INT, ADDRESS);
        destroyProgram = library.function("nvrtcDestroyProgram", ADDRESS);
        logSize = library.function("nvrtcGetProgramLogSize", JAVA_LONG, ADDRESS);
        log = library.function("nvrtcGetProgramLog", JAVA_LONG, ADDRESS);
        cubinSize = library.function("nvrtcGetCUBINSize", JAVA_LONG, ADDRESS);
        cubin = library.function("nvrtcGetCUBIN", JAVA_LONG, ADDRESS);
        // NVRTC opens its builtins library by name only, so it must be open already or on the loader's path, not just
        // in the same folder.
        var _ = NativeLibrary.open(List.of(library.siblingPath("libnvrtc-builtins.so." + number())));
    }

    /** Candidate paths; see {@link NativeLibrary#candidates}. */
    public static List<String> candidates(String toolkit, int driverVersion) {
        return NativeLibrary.candidates("libnvrtc", "cuda_nvrtc", toolkit, driverVersion);
    }

    public static Optional<Nvrtc> open(List<String> candidates) {
        return NativeLibrary.open(candidates).map(Nvrtc::new);
    }

    /** For example {@code 13.0 (libnvrtc.so.13)}. */
    public String version() {
        return number() + " (" + library.name() + ")";
    }

    private String number() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            check("nvrtcVersion", (int) getVersion.invokeExact(numbers, numbers.asSlice(4)));
            return numbers.get(JAVA_INT, 0) + "." + numbers.get(JAVA_INT, 4);
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /**
     * Compiles to machine code of a GPU.
     *
     * @throws DeviceException if the source does not compile; the message contains the compiler's output
     */
    public byte[] compile(KernelSource source, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocate(JAVA_LONG);
            MemorySegment headers = texts(arena, source.headers().values());
            MemorySegment headerNames = texts(arena, source.headers().keySet());
            MemorySegment text = arena.allocateFrom(source.text());
            MemorySegment name = arena.allocateFrom(source.fileName());
            check("nvrtcCreateProgram", (int) createProgram.invokeExact(
                    program, text, name, source.headers().size(), headers, headerNames));
            long handle = program.get(JAVA_LONG, 0);
            try {
                if ((int) compileProgram.invokeExact(handle, options.size(), texts(arena, options)) != 0) {
                    throw new DeviceException("NVRTC " + version() + " does not compile " + source.fileName() + ": "
                            + message(arena, handle));
                }
                String said = message(arena, handle);
                if (!said.isEmpty()) {
                    LOG.info("NVRTC of {}: {}", source.fileName(), said);
                }
                return output(arena, handle, cubinSize, cubin);
            } finally {
                check("nvrtcDestroyProgram", (int) destroyProgram.invokeExact(program));
            }
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }

    /** The compiler's output without its trailing zero. */
    private String message(Arena arena, long program) throws Throwable {
        return new String(output(arena, program, logSize, log), StandardCharsets.UTF_8)
                .replace("\0", "")
                .strip();
    }

    private static MemorySegment texts(Arena arena, Collection<String> texts) {
        MemorySegment addresses = arena.allocate(ADDRESS, texts.size());
        int i = 0;
        for (String text : texts) {
            addresses.setAtIndex(ADDRESS, i++, arena.allocateFrom(text));
        }
        return addresses;
    }

    private static byte[] output(Arena arena, long program, MethodHandle size, MethodHandle get) throws Throwable {
        MemorySegment bytes = arena.allocate(JAVA_LONG);
        check("NVRTC's size", (int) size.invokeExact(program, bytes));
        MemorySegment content = arena.allocate(Math.max(1, bytes.get(JAVA_LONG, 0)));
        check("NVRTC's output", (int) get.invokeExact(program, content));
        return content.toArray(JAVA_BYTE);
    }

    private static void check(String call, int result) {
        if (result != 0) {
            throw new DeviceException("NVRTC: " + call + " failed with " + result);
        }
    }
}
