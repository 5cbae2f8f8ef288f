package io.hirundo.cli.internal.quickstart;

import io.hirundo.DataException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text that is at hand without a download: the JDK's own sources. */
public final class SampleText {
  /** Where the launcher keeps the sources of our dependencies, where the JDK has none of its own. */
  private static final String DEPENDENCY_SOURCES = "hirundo.sources";

  private SampleText() {}

  /** The source archive of the JDK that runs, whether it is there or not. */
  public static Path ofThisJdk() {
    return Path.of(System.getProperty("java.home"), "lib", "src.zip");
  }

  static Path find() {
    if (Files.isReadable(ofThisJdk())) {
      return ofThisJdk();
    }
    String sources = System.getProperty(DEPENDENCY_SOURCES);
    if (sources != null && Files.isDirectory(Path.of(sources))) {
      return Path.of(sources);
    }
    throw new DataException(
        "this JDK has no source archive (" + ofThisJdk() + "), and no sources of Hirundo's dependencies were fetched: "
            + "give some text with --data PATH");
  }
}
