package io.hirundo.devicecuda.internal.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shared library of NVIDIA, open for the life of the process.
 *
 * @param name the candidate that was opened
 */
public record NativeLibrary(String name, SymbolLookup symbols) {
    /** Major versions of the toolkit; the oldest is the first with FP8. */
    private static final int NEWEST = 13;

    private static final int OLDEST = 12;

    /** Opens the first available candidate, by name on the loader's path or by absolute path. */
    public static Optional<NativeLibrary> open(List<String> candidates) {
        for (String candidate : candidates) {
            try {
                return Optional.of(new NativeLibrary(candidate, SymbolLookup.libraryLookup(candidate, Arena.global())));
            } catch (IllegalArgumentException absent) {
                // Tries the next candidate; the caller reports what is missing.
            }
        }
        return Optional.empty();
    }

    /**
     * Candidate paths of a toolkit library: in the toolkit's folder, in a Python package of NVIDIA, or on the loader's path. None is newer
     * than the driver, which could not load its output.
     *
     * @param name for example {@code libnvrtc}
     * @param pythonPackage for example {@code cuda_nvrtc}
     * @param driverVersion as {@link Driver#version}
     */
    public static List<String> candidates(String name, String pythonPackage, String toolkit, int driverVersion) {
        var candidates = new ArrayList<String>();
        for (String folder :
                List.of(toolkit + "/lib64/", toolkit + "/lib/", toolkit + "/../" + pythonPackage + "/lib/", "")) {
            for (int major = Math.min(NEWEST, driverVersion / 1000); major >= OLDEST; major--) {
                candidates.add(folder + name + ".so." + major);
            }
        }
        return candidates;
    }

    /** Another library in the same folder, or on the loader's path if this one is. */
    public String siblingPath(String other) {
        return name.substring(0, name.lastIndexOf('/') + 1) + other;
    }

    /** A function that returns an {@code int}, like most functions. */
    public MethodHandle function(String symbol, MemoryLayout... parameters) {
        return function(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
    }

    public MethodHandle function(String symbol, FunctionDescriptor descriptor) {
        var address = symbols.find(symbol)
                .orElseThrow(() -> new IllegalStateException(name + " has no " + symbol + ": install a newer one"));
        return Linker.nativeLinker().downcallHandle(address, descriptor);
    }
}
