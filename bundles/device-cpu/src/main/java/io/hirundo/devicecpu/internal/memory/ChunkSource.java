package io.hirundo.devicecpu.internal.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** Where the allocator gets its large pieces of memory from. */
public interface ChunkSource {
    /** Huge pages of x86-64, and of aarch64 with 4 KiB pages. */
    long HUGE_PAGE_BYTES = 2L << 20;

    /** Linux's {@code MADV_HUGEPAGE}. */
    int USE_HUGE_PAGES = 14;

    /** The address of a new piece, or 0 when there is none to be had. */
    long take(long bytes);

    void giveBack(long address);

    /**
     * The C library's heap: unlike an arena's, its large pieces are not touched before they are used. Linux backs them with huge pages where
     * it may: GEMMs read more small pages than the processor can translate.
     */
    static ChunkSource nativeHeap() {
        Linker linker = Linker.nativeLinker();
        MethodHandle malloc = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("malloc"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
        MethodHandle free = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
        // MADV_HUGEPAGE is specific to Linux.
        Optional<MethodHandle> madvise = System.getProperty("os.name").equals("Linux")
                ? linker.defaultLookup()
                        .find("madvise")
                        .map(function -> linker.downcallHandle(
                                function,
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_INT)))
                : Optional.empty();
        return new ChunkSource() {
            @Override
            public long take(long bytes) {
                try {
                    long address = ((MemorySegment) malloc.invokeExact(bytes)).address();
                    long first = (address + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
                    long length = (address + bytes - first) & -HUGE_PAGE_BYTES;
                    if (address != 0 && length > 0 && madvise.isPresent()) {
                        // If the kernel has no huge pages, madvise fails and normal pages remain.
                        int _ = (int) madvise.get().invokeExact(first, length, USE_HUGE_PAGES);
                    }
                    return address;
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
