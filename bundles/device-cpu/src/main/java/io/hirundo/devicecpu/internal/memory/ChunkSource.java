package io.hirundo.devicecpu.internal.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Where the allocator gets its large pieces of memory from. */
public interface ChunkSource {
  /** The address of a new piece, or 0 when there is none to be had. */
  long take(long bytes);

  void giveBack(long address);

  /** The C library's heap: unlike an arena's, its large pieces are not touched before they are used. */
  static ChunkSource nativeHeap() {
    Linker linker = Linker.nativeLinker();
    MethodHandle malloc = linker.downcallHandle(
        linker.defaultLookup().findOrThrow("malloc"), FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    MethodHandle free = linker.downcallHandle(
        linker.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    return new ChunkSource() {
      @Override
      public long take(long bytes) {
        try {
          return ((MemorySegment) malloc.invokeExact(bytes)).address();
        } catch (Throwable e) {
          throw new AssertionError("malloc cannot throw", e);
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
}
