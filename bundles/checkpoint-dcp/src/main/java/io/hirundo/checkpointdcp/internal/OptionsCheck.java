package io.hirundo.checkpointdcp.internal;

import io.hirundo.ConfigurationException;

/** What the options of all strategies of this bundle must be. */
final class OptionsCheck {
  private OptionsCheck() {}

  static void check(String strategy, int keepLast, int chunkBytes) {
    if (keepLast < 1) {
      throw new ConfigurationException("checkpoint " + strategy + ": keepLast is " + keepLast + ", but must be at least 1");
    }
    if (chunkBytes < DataFile.ALIGNMENT_BYTES || chunkBytes % DataFile.ALIGNMENT_BYTES != 0) {
      throw new ConfigurationException(
          "checkpoint " + strategy + ": chunkBytes is " + chunkBytes + ", but must be a multiple of "
              + DataFile.ALIGNMENT_BYTES);
    }
  }
}
