package io.hirundo.devicecuda.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecuda.internal.driver.Cubins;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * A CUDA driver and a compiler for machines that have none: built by g++ from {@code src/test/native}, loaded once into this
 * process. Tests are skipped where there is no g++, and where a real driver is in the process's way.
 */
public final class StubCuda {
  private static final Path SOURCES = Path.of("src/test/native").toAbsolutePath();
  /** In the toolkit's folder, what its compiler opens. */
  static final String BUILTINS = "lib64/libnvrtc-builtins.so.13.0";

  static final List<String> DRIVER = List.of("libcuda.so.1");
  private static final StubCuda INSTANCE = new StubCuda();

  private Path folder;
  private SymbolLookup driver;
  private SymbolLookup compiler;
  private SymbolLookup products;
  private String unavailable;

  private StubCuda() {
    try {
      load();
    } catch (IOException | InterruptedException failure) {
      unavailable = failure.toString();
    }
  }

  /** The stub, or the end of the test that asks. */
  public static StubCuda orSkip() {
    assumeTrue(INSTANCE.unavailable == null, () -> "no stub of CUDA: " + INSTANCE.unavailable);
    return INSTANCE;
  }

  private void load() throws IOException, InterruptedException {
    if (!System.getProperty("os.name").equals("Linux") || !System.getProperty("os.arch").equals("amd64")) {
      unavailable = "JCuda's natives are for Linux on x86-64";
      return;
    }
    folder = Path.of("target", "stub-cuda", Long.toHexString(checksum())).toAbsolutePath();
    Path libcuda = folder.resolve("libcuda.so.1");
    Path libnvrtc = folder.resolve("lib64/libnvrtc.so.13");
    Path builtins = folder.resolve(BUILTINS);
    Path libcublasLt = folder.resolve("lib64/libcublasLt.so.13");
    Files.createDirectories(libnvrtc.getParent());
    build("libcuda.cpp", libcuda, List.of("-Wl,-soname,libcuda.so.1"));
    build("libcublasLt.cpp", libcublasLt, List.of("-ldl"));
    build("libnvrtc-builtins.cpp", builtins, List.of("-Wl,-soname," + builtins.getFileName()));
    build("libnvrtc.cpp", libnvrtc, List.of("-ldl", "-DEMULATION=\"" + SOURCES.resolve("emulation.h") + "\""));
    if (unavailable == null) {
      // First, so that whoever asks for libcuda.so.1 gets this one.
      System.load(libcuda.toString());
      driver = SymbolLookup.libraryLookup(libcuda, Arena.global());
      compiler = SymbolLookup.libraryLookup(libnvrtc, Arena.global());
      products = SymbolLookup.libraryLookup(libcublasLt, Arena.global());
    }
  }

  private void build(String source, Path library, List<String> options) throws IOException, InterruptedException {
    if (Files.exists(library) || unavailable != null) {
      return;
    }
    Path part = library.resolveSibling(library.getFileName() + ".part");
    var command = new ArrayList<>(List.of("g++", "-std=c++17", "-O1", "-Wall", "-fPIC", "-shared", "-o", part.toString()));
    command.addAll(options);
    command.add(SOURCES.resolve(source).toString());
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("g++ does not compile " + source);
      }
    } catch (IOException absent) {
      unavailable = "there is no g++";
      return;
    }
    Files.move(part, library);
  }

  private static long checksum() throws IOException {
    var sum = new CRC32();
    try (var sources = Files.list(SOURCES)) {
      for (Path source : sources.sorted().toList()) {
        sum.update(Files.readAllBytes(source));
      }
    }
    return sum.getValue();
  }

  /** The folder that keeps emulated kernels from build to build, as long as neither they nor the emulation changes. */
  public Path kernels() {
    return folder.resolve("kernels");
  }

  CudaOptions options() {
    return options(-1);
  }

  private CudaOptions options(int ordinal) {
    return options(ordinal, CudaOptions.WARPGROUPS);
  }

  private CudaOptions options(int ordinal, String attention) {
    return new CudaOptions(toolkit(), kernels().toString(), ordinal, CudaOptions.OWN, attention, false);
  }

  public CudaBackendFactory factory() {
    return factory(null);
  }

  private CudaBackendFactory factory(String localRank) {
    return new CudaBackendFactory(new Installation(DRIVER, folder, Cubins.none()), localRank);
  }

  public ComputeBackend backend() {
    return factory().create(options());
  }

  /** Where what comes again goes to the GPU in graphs. */
  ComputeBackend backendWithGraphs() {
    return backendWithGraphs(CudaOptions.OWN);
  }

  /** The same, where an option says what multiplies. */
  ComputeBackend backendWithGraphs(String gemm) {
    return factory().create(new CudaOptions(toolkit(), kernels().toString(), -1, gemm, CudaOptions.WARPGROUPS, true));
  }

  /** Whose attention takes the kernels for warps. */
  public ComputeBackend attendingByWarps() {
    return factory().create(options(-1, CudaOptions.WARPS));
  }

  /** Where an option names the GPU; -1 for none. */
  ComputeBackend backend(int ordinal) {
    return factory().create(options(ordinal));
  }

  /** Where an option says what multiplies; with the libraries of a folder. */
  ComputeBackend backend(String gemm, Path libraries) {
    return factory().create(new CudaOptions(libraries.toString(), options().kernelCache(), -1, gemm, CudaOptions.WARPGROUPS, false));
  }

  /** The number of a stub of cuBLASLt: {@code live} things, {@code heuristics} and {@code products} so far. */
  int ofCublasLt(String what) {
    return (int) number(products, "lt_" + what, JAVA_INT);
  }

  /** From now on cuBLASLt is of this version, and has no algorithms; to be undone by {@code becomeCublasLt(130000, false)}. */
  void becomeCublasLt(int version, boolean refuses) {
    invoke(products, "lt_become", version, refuses ? 1 : 0);
  }

  /** The call of cuBLASLt so many calls from now fails, 0 for the next; of those that make, set, choose or multiply. */
  void failCublasLt(int calls, int status) {
    invoke(products, "lt_fail", calls, status);
  }

  /** Room for so many bytes more than are used or kept now; to be undone by one below 0. */
  void room(long bytes) {
    try {
      var function = FunctionDescriptor.ofVoid(JAVA_LONG);
      Linker.nativeLinker().downcallHandle(driver.find("stub_room").orElseThrow(), function).invokeExact(bytes);
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** In a process that is this one of its machine. */
  ComputeBackend backend(String localRank) {
    return factory(localRank).create(options());
  }

  /** From now on there are this many GPUs; to be undone by {@code gpus(1, true)}. */
  void gpus(int count, boolean seeEachOther) {
    invoke(driver, "stub_devices", count, seeEachOther ? 1 : 0);
  }

  /** Whether a GPU may use the memory of another. */
  boolean sees(int device, int owner) {
    try {
      return (int) handle(driver, "stub_access", JAVA_INT, JAVA_INT, JAVA_INT).invokeExact(owner, device) != 0;
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** The GPU whose context is the calling thread's. */
  int context() {
    return (int) number(driver, "stub_context", JAVA_INT);
  }

  /** Pieces of work that are still to be done, of all queues. */
  int pending() {
    return (int) number(driver, "stub_pending", JAVA_INT);
  }

  private static void invoke(SymbolLookup library, String symbol, int first, int second) {
    try {
      var function = FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT);
      Linker.nativeLinker().downcallHandle(library.find(symbol).orElseThrow(), function).invokeExact(first, second);
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** How often a function of the driver was called. */
  int calls(String function) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) handle(driver, "stub_calls", JAVA_INT, ADDRESS).invokeExact(arena.allocateFrom(function));
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** The next call of the function returns this instead of doing anything. */
  public void fail(String failing, int result) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(failing);
      var function = FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT);
      Linker.nativeLinker().downcallHandle(driver.find("stub_fail").orElseThrow(), function).invokeExact(name, result);
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** All calls return this from now on, as those of a driver whose context a kernel has broken; 0 to undo it. */
  public void breakContext(int result) {
    try {
      Linker.nativeLinker().downcallHandle(driver.find("stub_break").orElseThrow(), FunctionDescriptor.ofVoid(JAVA_INT)).invokeExact(result);
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** Streams, events, modules, graphs and memory that nobody has given back. */
  int live() {
    return (int) number(driver, "stub_live", JAVA_INT);
  }

  /** Blocks in three dimensions, and threads in three. */
  List<Integer> lastLaunch() {
    try {
      var six = (MemorySegment) handle(driver, "stub_last_launch", ADDRESS).invokeExact();
      return IntStream.of(six.reinterpret(6 * JAVA_INT.byteSize()).toArray(JAVA_INT)).boxed().toList();
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  /** The folder to name for its compiler. */
  public String toolkit() {
    return folder.toString();
  }

  public List<String> lastOptions() {
    try {
      var text = (MemorySegment) handle(compiler, "stub_options", ADDRESS).invokeExact();
      return text.reinterpret(Long.MAX_VALUE).getString(0).lines().toList();
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  public int compilations() {
    return (int) number(compiler, "stub_compilations", JAVA_INT);
  }

  long releaseThreshold() {
    return number(driver, "stub_release_threshold", JAVA_LONG);
  }

  private static long number(SymbolLookup library, String function, MemoryLayout result) {
    try {
      return ((Number) handle(library, function, result).invokeWithArguments()).longValue();
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  private static MethodHandle handle(SymbolLookup library, String function, MemoryLayout result, MemoryLayout... parameters) {
    return Linker.nativeLinker().downcallHandle(library.find(function).orElseThrow(), FunctionDescriptor.of(result, parameters));
  }
}
