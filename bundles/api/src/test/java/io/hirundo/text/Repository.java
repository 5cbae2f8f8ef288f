package io.hirundo.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of the repository that people read. */
final class Repository {
    static final Path ROOT = Path.of("../..").normalize();

    private static final Set<String> BUILT = Set.of("target", "runs", "datasets", "tokenizers", "golden");

    private Repository() {}

    /** Pages, and what explains itself in comments or prints: configurations, scripts, descriptions of bundles. */
    static List<Path> pages() {
        var found = new ArrayList<>(files(ROOT, ".md", ".yaml", ".sh", ".bnd", ".bndrun", "pom.xml", ".pom"));
        for (String folder : List.of("benchmarks", "tools", "distro/src/main/files/bin")) {
            files(ROOT.resolve(folder), "").stream()
                    .filter(file -> !file.getFileName().toString().contains("."))
                    .forEach(found::add);
        }
        found.add(ROOT.resolve("hirundo"));
        found.add(ROOT.resolve("distro/resolve"));
        return found;
    }

    static List<Path> markdown() {
        return files(ROOT, ".md");
    }

    /** Java source roots, each with a module's production code or tests. */
    static List<Path> sourceRoots() {
        var roots = new ArrayList<Path>();
        for (String folder : List.of("bundles", "distro", "itests")) {
            walk(ROOT.resolve(folder), path -> path.endsWith("src/main/java") || path.endsWith("src/test/java"), roots);
        }
        return roots.stream().sorted().toList();
    }

    /** Sources of programs and tests: Java, CUDA, and the native stand-ins for drivers. */
    static List<Path> sources() {
        return List.of("bundles", "distro", "itests").stream()
                .flatMap(folder -> files(ROOT.resolve(folder), ".java", ".cu", ".cuh", ".h", ".cpp").stream())
                .filter(file -> file.toString().contains("/src/"))
                .toList();
    }

    static List<Path> files(Path folder, String... endings) {
        var found = new ArrayList<Path>();
        walk(
                folder,
                path -> List.of(endings).stream().anyMatch(path.toString()::endsWith) && Files.isRegularFile(path),
                found);
        return found.stream().sorted().toList();
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(file.toString(), unreadable);
        }
    }

    static Path relative(Path file) {
        return ROOT.relativize(file);
    }

    private interface Choice {
        boolean takes(Path path);
    }

    /** A Java package may have the name of a folder that is built: {@code io.hirundo.lib.golden}. */
    private static boolean isPackage(Path path) {
        return path.toString().replace('\\', '/').contains("/java/io/");
    }

    /** Folders and files that are chosen, without those that builds and runs write; hidden ones are left out as well. */
    private static void walk(Path folder, Choice choice, List<Path> found) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                    String name = path.getFileName().toString();
                    boolean isBuilt = BUILT.contains(name) && !isPackage(path);
                    if (!path.equals(folder) && (isBuilt || name.startsWith("."))) {
                        return FileVisitResult.SKIP_SUBTREE;
                    }
                    if (choice.takes(path)) {
                        found.add(path);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                    if (choice.takes(path)) {
                        found.add(path);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
