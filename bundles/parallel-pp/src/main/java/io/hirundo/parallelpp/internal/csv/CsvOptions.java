package io.hirundo.parallelpp.internal.csv;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code csv}.
 *
 * @param file the table
 * @param placement which stages the chunks are
 * @param fuseBackward whether a B and the W right behind it are run as one
 */
public record CsvOptions(
    @Setting(value = "path of the table: a row for each rank, in its cells what it does, F0, B0 or W0, of chunk 1 F0.1", required = true)
        String file,
    @Setting("which stages a rank's chunks are: in turn (loop), or two of them down the ranks and up again (v)") Placement placement,
    @Setting("a B and the W right behind it are run as one: less memory, but the gradient goes on later") boolean fuseBackward) {
  public CsvOptions() {
    this(null, Placement.LOOP, true);
  }
}
