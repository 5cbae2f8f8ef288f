package io.hirundo.devicecuda.internal.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;

/**
 * A shared library of NVIDIA's, for as long as the process lives.
 *
 * @param name the one of the candidates that could be opened
 */
public record NativeLibrary(String name, SymbolLookup symbols) {
  /** Opens the first that is there, by name on the loader's path or by absolute path. */
  public static Optional<NativeLibrary> open(List<String> candidates) {
    for (String candidate : candidates) {
      try {
        return Optional.of(new NativeLibrary(candidate, SymbolLookup.libraryLookup(candidate, Arena.global())));
      } catch (IllegalArgumentException absent) {
        // The next one; whoever asked says what was looked for.
      }
    }
    return Optional.empty();
  }

  /** A function that returns an {@code int}, as all of the driver and of NVRTC do. */
  MethodHandle function(String symbol, MemoryLayout... parameters) {
    var address =
        symbols.find(symbol).orElseThrow(() -> new IllegalStateException(name + " has no " + symbol + ": install a newer one"));
    return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
  }
}
