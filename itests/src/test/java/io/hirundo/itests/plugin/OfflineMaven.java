package io.hirundo.itests.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs the Maven that builds Hirundo on plugin projects, offline, with the artifacts of Hirundo's own build. Artifacts of a distro
 * stay in a folder of the test, not in the user's repository.
 *
 * @param folder of the test; contains the projects
 */
record OfflineMaven(Path folder) {
    private static final long LIMIT_MINUTES = 10;

    /** Runs {@code package} in all of them at once. */
    void buildTogether(List<String> projects) throws IOException, InterruptedException {
        String modules =
                projects.stream().map(name -> "<module>" + name + "</module>").collect(Collectors.joining());
        Files.writeString(
                folder.resolve("pom.xml"),
                "<project><modelVersion>4.0.0</modelVersion><groupId>all</groupId><artifactId>all</artifactId><version>1</version>"
                        + "<packaging>pom</packaging><modules>" + modules + "</modules></project>");
        Path repository = folder.resolve("repository");
        try {
            fillWithLinks(repository);
            run(repository);
        } finally {
            // Links that lead out of a test's folder must not be followed when it is deleted.
            unlink(repository.resolve("io"));
            unlink(repository);
        }
    }

    private void run(Path repository) throws IOException, InterruptedException {
        Path log = folder.resolve("maven.log");
        ProcessBuilder builder = new ProcessBuilder(
                        System.getProperty("hirundo.maven"),
                        "-o",
                        "-B",
                        "-ntp",
                        "-Daether.offline.protocols=file",
                        "-Dmaven.repo.local=" + repository,
                        "package")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        // It and the tests of the projects run for seconds, so C2 compilation does not pay. A small young generation
        // would be collected some 80
        // times, a tenth of the CPU time.
        builder.environment()
                .put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmn256m -XX:MetaspaceSize=256m");
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        assertTrue(ended, () -> "Maven did not end within " + LIMIT_MINUTES + " minutes: " + text(log));
        assertEquals(0, process.exitValue(), () -> text(log));
    }

    /** Links to the fetched artifacts, group by group; our group has its own folder. */
    private static void fillWithLinks(Path own) throws IOException {
        link(Path.of(System.getProperty("hirundo.maven.repository")), own, "io");
        link(Path.of(System.getProperty("hirundo.maven.repository"), "io"), own.resolve("io"), "hirundo");
    }

    private static void link(Path from, Path to, String left) throws IOException {
        Files.createDirectories(to);
        if (!Files.isDirectory(from)) {
            return;
        }
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : (Iterable<Path>) entries.filter(path -> !path.endsWith(left))::iterator) {
                Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
            }
        }
    }

    private static void unlink(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : (Iterable<Path>) entries.filter(Files::isSymbolicLink)::iterator) {
                Files.delete(entry);
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
