package io.hirundo.cli.internal.quickstart;

import io.hirundo.DataException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Text that is at hand without a download: the documentation of Java's own library, sentences that its authors have polished for
 * decades, in the source archive of the JDK.
 *
 * @param sources archive or folder
 * @param include which of its files; empty for all
 */
public record SampleText(Path sources, List<String> include) {
  /** Where the launcher keeps the sources of our dependencies, where the JDK has none of its own. */
  private static final String DEPENDENCY_SOURCES = "hirundo.sources";

  /** What every Java programmer reads: java.lang, java.util, java.time and their like. */
  private static final List<String> PUBLIC_LIBRARY = List.of("java.base/java/**");

  /** The source archive of the JDK that runs, whether it is there or not. */
  public static Path ofThisJdk() {
    return Path.of(System.getProperty("java.home"), "lib", "src.zip");
  }

  static SampleText find() {
    if (Files.isReadable(ofThisJdk())) {
      return new SampleText(ofThisJdk(), PUBLIC_LIBRARY);
    }
    String sources = System.getProperty(DEPENDENCY_SOURCES);
    if (sources != null && Files.isDirectory(Path.of(sources))) {
      return new SampleText(Path.of(sources), List.of());
    }
    throw new DataException(
        "this JDK has no source archive (" + ofThisJdk() + "), and no sources of Hirundo's dependencies were fetched: "
            + "give some text with --data PATH");
  }

  /** The command that makes training text of it. */
  List<String> clean(KeptData kept) {
    var command =
        new ArrayList<>(
            List.of("data", "clean", "--data", sources.toString(), "--extract", "javadoc", "--out", kept.text().toString(), "--held-out",
                kept.heldOut().toString(), "--if-missing"));
    include.forEach(glob -> command.addAll(List.of("--include", glob)));
    return command;
  }
}
