package io.hirundo.cli.internal.quickstart;

import io.hirundo.DataException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Training text that needs no download: the documentation of Java's own library, from the source archive of the JDK.
 *
 * @param sources archive or folder
 * @param include which of its files; empty for all
 */
public record SampleText(Path sources, List<String> include) {
    /** The folder where the launcher stores the sources of dependencies if the JDK has no source archive. */
    private static final String DEPENDENCY_SOURCES = "hirundo.sources";

    /** The widely read packages: java.lang, java.util, java.time and similar. */
    private static final List<String> PUBLIC_LIBRARY = List.of("java.base/java/**");

    /** The source archive of the running JDK, which may not exist. */
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
        throw new DataException("--data: this JDK has no source archive (" + ofThisJdk()
                + "), and the sources of Hirundo's dependencies were not fetched; "
                + "give some text with --data PATH");
    }

    /** The command that converts the sources to training text. */
    List<String> clean(KeptData kept) {
        var command = new ArrayList<>(List.of(
                "data",
                "clean",
                "--data",
                sources.toString(),
                "--extract",
                "javadoc",
                "--out",
                kept.text().toString(),
                "--held-out",
                kept.heldOut().toString(),
                "--if-missing"));
        include.forEach(glob -> command.addAll(List.of("--include", glob)));
        return command;
    }
}
