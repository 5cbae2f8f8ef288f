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
    if (options.stagingBytes() < 2L * options.chunkBytes()) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": stagingBytes is " + options.stagingBytes() + ", but must hold two chunks of "
              + options.chunkBytes());
    }
    if (options.timeoutSeconds() < 1) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": timeoutSeconds is " + options.timeoutSeconds() + ", but must be at least 1");
    }
  }

  static void check(String strategy, Retention retention, int chunkBytes) {
    if (retention.keepLast() < 1) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": keepLast is " + retention.keepLast() + ", but must be at least 1");
    }
    if (retention.keepEvery() < 0) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": keepEvery is " + retention.keepEvery() + ", but must be a number of steps, or 0");
    }
    if (chunkBytes < DataFile.ALIGNMENT_BYTES || chunkBytes % DataFile.ALIGNMENT_BYTES != 0) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": chunkBytes is " + chunkBytes + ", but must be a multiple of "
              + DataFile.ALIGNMENT_BYTES);
    }
  }
}
