package io.hirundo.itests.program;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * The distro's archive of classes, which users get from their first short command. Without it, most processes of the tests would load
 * some 1,300 classes from jars, for a tenth of the CPU time of a short training.
 */
final class ClassArchive {
    private static final String FOLDER = "cache";
    private static final String FILE = "classes.jsa";
    private static final long LIMIT_MINUTES = 5;

    private static boolean made;

    private ClassArchive() {}

    /** Runs a short command once, for all test JVMs. */
    static synchronized void make() throws IOException {
        if (made) {
            return;
        }
        Path lock = Profiles.distro().resolveSibling("class-archive.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            if (!Files.exists(archive(Profiles.distro()))) {
                run();
            }
        }
        made = true;
    }

    /** Runs {@code hirundo plugins}. Ignores failures: the tests of the program report them. */
    private static void run() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Profiles.distro().resolve("bin/hirundo").toString(), "plugins")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("HIRUNDO_JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    /** For the JVM the copy is as good: it compares the jars' dates and sizes, not their folder. */
    static void copyTo(Path home) throws IOException {
        Path from = archive(Profiles.distro());
        if (Files.exists(from)) {
            Files.createDirectory(home.resolve(FOLDER));
            Files.copy(from, archive(home), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    private static Path archive(Path home) {
        return home.resolve(FOLDER).resolve(FILE);
    }
}
