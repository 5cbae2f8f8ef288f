package io.hirundo.lib.input;

import java.nio.file.Path;

/**
 * Failed reads of memory-mapped files. If a file is truncated while it is mapped, or its disk fails, the JVM turns the page fault into
 * an {@link InternalError}, which would otherwise end the program as a bug. Readers do this:
 *
 * <pre>{@code
 * try {
 *   int value = mapped.get(JAVA_INT, at);
 *   MappedFault.await();
 *   return value;
 * } catch (InternalError failure) {
 *   throw new DataException(MappedFault.explain(file, failure) + "; copy it again", failure);
 * }
 * }</pre>
 *
 * <p>The JVM handles its own accesses only. Intrinsics that read memory in native code ({@link java.util.zip.CRC32} and others) crash
 * the process instead: copy mapped bytes to the heap first.
 */
public final class MappedFault {
    /** Part of HotSpot's message for a page fault ({@code vmSymbols::java_lang_InternalError}). */
    private static final String PAGE_FAULT = "unsafe memory access";

    private static final String WHY = " cannot be read any more: it was truncated while it was open, or its disk fails";

    private MappedFault() {}

    /**
     * Throws the pending error of an earlier read. Compiled code throws not at the read but at the next check for asynchronous
     * exceptions, possibly after the reader's {@code catch}. The JVM checks after every native call, and this is one.
     */
    public static void await() {
        Thread.holdsLock(PAGE_FAULT);
    }

    /** Whether the failure is a page fault in mapped memory. */
    public static boolean isOne(Throwable failure) {
        return failure instanceof InternalError
                && failure.getMessage() != null
                && failure.getMessage().contains(PAGE_FAULT);
    }

    /**
     * Explains a failed read; append a remedy.
     *
     * @throws InternalError the given one if it is not a page fault
     */
    public static String explain(Path file, InternalError failure) {
        if (!isOne(failure)) {
            throw failure;
        }
        return file + WHY;
    }

    /** Like {@link #explain(Path, InternalError)} if the file is unknown. */
    public static String explain() {
        return "a memory-mapped file (of a dataset or a model)" + WHY;
    }
}
