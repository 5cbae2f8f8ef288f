package io.hirundo.devicecpu.internal.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Where the allocator gets its large pieces of memory from. */
public interface ChunkSource {
  /** Chunks begin at huge pages of 2 MiB. */
  long HUGE_PAGE_BYTES = 2L << 20;

  /** {@code MADV_HUGEPAGE} of Linux. */
  int HUGE_PAGES = 14;

  /** The address of a new piece, or 0 when there is none to be had. */
  long take(long bytes);

  void giveBack(long address);

  /**
   * The C library's heap: unlike an arena's, its large pieces are not touched before they are used. Linux backs them with huge pages where it
   * can, also in the mode {@code madvise}, the default of most distributions: kernels that are bound by memory miss the TLB less.
   */
  static ChunkSource nativeHeap() {
    Linker linker = Linker.nativeLinker();
    MethodHandle malloc = linker.downcallHandle(
        linker.defaultLookup().findOrThrow("malloc"), FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    MethodHandle free = linker.downcallHandle(
        linker.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    MethodHandle advise = System.getProperty("os.name").equals("Linux") ? advise(linker) : null;
    return new ChunkSource() {
      @Override
      public long take(long bytes) {
        try {
          long address = ((MemorySegment) malloc.invokeExact(bytes)).address();
          long first = (address + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
          if (address != 0 && advise != null && first < address + bytes) {
            // A kernel without huge pages says no, which changes nothing but speed.
            int _ = (int) advise.invokeExact(first, address + bytes - first & -HUGE_PAGE_BYTES, HUGE_PAGES);
          }
          return address;
        } catch (Throwable e) {
          throw new AssertionError("malloc and madvise cannot throw", e);
        }
      }

      @Override
      public void giveBack(long address) {
        try {
          free.invokeExact(MemorySegment.ofAddress(address));
        } catch (Throwable e) {
          throw new AssertionError("free cannot throw", e);
        }
      }
    };
  }

  private static MethodHandle advise(Linker linker) {
    return linker.defaultLookup().find("madvise")
        .map(address -> linker.downcallHandle(
            address, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT)))
        .orElse(null);
  }
}
