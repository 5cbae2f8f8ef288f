package io.hirundo.lib.input;

import java.nio.file.Path;

/**
 * Failed reads of memory-mapped files. If a file is truncated after it was mapped, or its disk fails, the JVM turns the page fault into
 * an {@link InternalError}; without this it would end the program as a bug. Readers do
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
 * <p>The JVM does so for its own accesses only. Intrinsics that read memory in native code ({@link java.util.zip.CRC32} and others)
 * crash the process instead: copy mapped bytes to the heap first.
 */
public final class MappedFault {
  /** Part of the message that HotSpot gives a page fault ({@code vmSymbols::java_lang_InternalError}). */
  private static final String PAGE_FAULT = "unsafe memory access";

  private static final String WHY = " cannot be read any more: it was truncated while it was open, or its disk fails";

  private MappedFault() {}

  /**
   * Throws the error of a read before this call. Compiled code does not do so at the read, but where it next looks for asynchronous
   * exceptions, which may be behind the {@code catch} of the reader; it looks after every native call, which this is.
   */
  public static void await() {
    Thread.holdsLock(PAGE_FAULT);
  }

  /** Whether something failed by a page fault in mapped memory. */
  public static boolean isOne(Throwable failure) {
    return failure instanceof InternalError && failure.getMessage() != null && failure.getMessage().contains(PAGE_FAULT);
  }

  /**
   * What to say of a read that failed; to be followed by a remedy.
   *
   * @throws InternalError the given one if it is no page fault
   */
  public static String explain(Path file, InternalError failure) {
    if (!isOne(failure)) {
      throw failure;
    }
    return file + WHY;
  }

  /** As {@link #explain(Path, InternalError)} where the file is not known. */
  public static String explain() {
    return "a memory-mapped file (of a dataset or a model)" + WHY;
  }
}
