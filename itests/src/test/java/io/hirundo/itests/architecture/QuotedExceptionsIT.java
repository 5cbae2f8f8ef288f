package io.hirundo.itests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Messages quote exceptions of Java and of libraries by {@code io.hirundo.Reason}, which says no class names. Else a user reads
 * {@code java.nio.file.NoSuchFileException: x}, or a path alone.
 */
class QuotedExceptionsIT {
    private static final Path BUNDLES = Path.of("..", "bundles");

    /** Classes that have a reason; what is mended must be taken out. */
    private static final Set<String> KNOWN = Set.of(
            // They say what others quote.
            "io.hirundo.Reason: java/lang/ClassNotFoundException.getMessage",
            "io.hirundo.Reason: java/lang/NoClassDefFoundError.getMessage",
            "io.hirundo.Reason: java/lang/Throwable.getMessage",
            "io.hirundo.Reason: java/lang/Throwable.toString",
            // A defect, for its report; and picocli's sentences, in which types are replaced.
            "io.hirundo.cli.internal.Failures: java/lang/Throwable.toString",
            "io.hirundo.cli.internal.Failures: picocli/CommandLine$ParameterException.getMessage",
            // They compare a message of the JVM.
            "io.hirundo.lib.input.MappedFault: java/lang/Throwable.getMessage",
            "io.hirundo.tokenizerhf.internal.NativeLibrary: java/lang/UnsatisfiedLinkError.getMessage",
            // Sentences of the tokenizers library; the second class runs in a process without the API.
            "io.hirundo.tokenizerhf.internal.NativeTokenizer: java/lang/RuntimeException.getMessage",
            "io.hirundo.tokenizerhf.internal.safety.ProbeMain: java/lang/RuntimeException.getMessage");

    @Test
    void messagesQuoteForeignExceptionsByReason() throws IOException {
        var found = new TreeSet<String>();
        try (Stream<Path> bundles = Files.list(BUNDLES)) {
            for (Path bundle : bundles.toList()) {
                Path classes = bundle.resolve("target/classes/io/hirundo");
                // The testkit reports to programmers.
                if (Files.isDirectory(classes) && !bundle.endsWith("testkit")) {
                    found.addAll(QuotedExceptions.in(classes));
                }
            }
        }
        assertTrue(found.stream().anyMatch(each -> each.startsWith("io.hirundo.Reason: ")), found::toString);
        assertEquals(new TreeSet<>(KNOWN), found);
    }
}
