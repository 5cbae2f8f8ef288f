package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.store.Retention;

/** What the options of all strategies of this bundle must be. */
final class OptionsCheck {
  private OptionsCheck() {}

  /** Of strategies that write in the background. */
  static void check(String strategy, AsyncOptions options) {
    check(strategy, options.retention(), options.chunkBytes());
    long twoChunks = 2L * options.chunkBytes();
    require(strategy, "stagingBytes", options.stagingBytes(), options.stagingBytes() >= twoChunks, "at least two chunks, " + twoChunks);
    require(strategy, "timeoutSeconds", options.timeoutSeconds(), options.timeoutSeconds() >= 1, "at least 1");
  }

  static void check(String strategy, Retention retention, int chunkBytes) {
    require(strategy, "keepLast", retention.keepLast(), retention.keepLast() >= 1, "at least 1");
    require(strategy, "keepEvery", retention.keepEvery(), retention.keepEvery() >= 0, "a number of steps, or 0");
    boolean isAligned = chunkBytes >= DataFile.ALIGNMENT_BYTES && chunkBytes % DataFile.ALIGNMENT_BYTES == 0;
    require(strategy, "chunkBytes", chunkBytes, isAligned, "a multiple of " + DataFile.ALIGNMENT_BYTES);
  }

  private static void require(String strategy, String name, long value, boolean allowed, String range) {
    if (!allowed) {
      throw new ConfigurationException("checkpoint " + strategy + ": " + name + ": " + value + " is wrong (allowed: " + range + ")");
    }
  }
}
