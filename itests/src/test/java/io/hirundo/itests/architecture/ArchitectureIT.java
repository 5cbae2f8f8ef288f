package io.hirundo.itests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The layers of docs/architecture.md: {@code api}, then {@code lib-*} without cycles between them, then bundles that know nothing of each
 * other; no package cycles in a bundle, few floors, no large bundles, no long files. The lists of violations can only shrink: what is mended must be taken out.
 */
class ArchitectureIT {
    private static final Path BUNDLES = Path.of("..", "bundles");
    private static final int MOST_LINES = 400;

    /** Lines of main code; a bundle that outgrows them holds a second purpose. */
    private static final int MOST_LINES_OF_A_BUNDLE = 14_000;

    private static final Map<String, Integer> OTHER_LIMITS = Map.of("trainer", 12_000, "testkit", 18_000);

    /** Packages in a chain of which each uses the next. */
    private static final int MOST_FLOORS = 9;

    /** Its records are public types, so only a break of the API can give them files of their own. */
    private static final Path SPLIT_WITH_THE_NEXT_API = Path.of("io/hirundo/model/LayerSpec.java");
    /** Bundles that use another implementation: {@code user -> used}. */
    private static final Set<String> KNOWN_USES = Set.of();

    /**
     * Packages of one bundle that use each other, in order. A device lends {@code Kernels}, which names all kernel families, and these use its
     * queues. {@code Kernels.find} ends the cycle: it needs no family, so {@code Kernels} can move to {@code device}
     * (docs/design/api-next.md, section 9, step 7).
     */
    private static final Set<String> KNOWN_CYCLES = Set.of(
            "io.hirundo.device io.hirundo.kernel io.hirundo.kernel.attention io.hirundo.kernel.optimizer io.hirundo.kernel.scaled");

    private static BundleClasses classes;
    private static Map<String, Map<String, Set<String>>> uses;

    @BeforeAll
    static void read() throws IOException {
        classes = new BundleClasses(BUNDLES);
        uses = classes.usesOfBundles();
    }

    @Test
    void readsTheClassesOfAllBundles() throws IOException {
        try (Stream<Path> all = Files.list(BUNDLES)) {
            Set<String> withSources = all.filter(bundle -> Files.isDirectory(bundle.resolve("src/main/java")))
                    .map(bundle -> bundle.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(withSources, classes.bundles());
        }
        assertTrue(
                uses.get("trainer").containsKey("api"), "the trainer uses the API: if this does not show, no use does");
    }

    @Test
    void apiUsesNoOtherBundle() {
        assertEquals(Map.of(), uses.getOrDefault("api", Map.of()));
    }

    @Test
    void librariesUseOnlyApiAndLibraries() {
        assertEquals(
                Set.of(),
                foreignUses().stream().filter(use -> use.startsWith("lib-")).collect(Collectors.toSet()));
    }

    @Test
    void bundlesUseOnlyApiAndLibraries() {
        assertEquals(new TreeSet<>(KNOWN_USES), foreignUses(), () -> "uses: " + uses);
    }

    private static Set<String> foreignUses() {
        var foreign = new TreeSet<String>();
        uses.forEach((user, used) -> used.keySet().stream()
                .filter(bundle -> !bundle.equals("api") && !bundle.startsWith("lib-"))
                .forEach(bundle -> foreign.add(user + " -> " + bundle)));
        return foreign;
    }

    @Test
    void packagesOfABundleHaveNoCycles() {
        var cycles = new TreeSet<String>();
        classes.bundles().forEach(bundle -> cycles.addAll(new PackageGraph(classes.packagesOf(bundle)).groups()));
        assertEquals(new TreeSet<>(KNOWN_CYCLES), cycles);
    }

    @Test
    void findsCycles() {
        Map<String, Set<String>> packages = Map.of(
                "a",
                Set.of("b"),
                "b",
                Set.of("c"),
                "c",
                Set.of("b", "d"),
                "d",
                Set.of(),
                "e",
                Set.of("f"),
                "f",
                Set.of("g"),
                "g",
                Set.of("e"));
        assertEquals(Set.of("b c", "e f g"), new PackageGraph(packages).groups());
    }

    @Test
    void librariesHaveNoCycles() {
        Map<String, Set<String>> libraries = uses.entrySet().stream()
                .filter(use -> use.getKey().startsWith("lib-"))
                .collect(Collectors.toMap(
                        Map.Entry::getKey, use -> use.getValue().keySet()));
        assertTrue(libraries.get("lib-run").contains("lib-engine"), libraries::toString);
        assertEquals(Set.of(), new PackageGraph(libraries).groups());
    }

    @Test
    void packagesOfABundleHaveFewFloors() {
        var high = new TreeMap<String, Integer>();
        for (String bundle : classes.bundles()) {
            int floors = new PackageGraph(classes.packagesOf(bundle)).floors();
            if (floors > MOST_FLOORS) {
                high.put(bundle, floors);
            }
        }
        assertEquals(Map.of(), high);
    }

    /** To draw it again: {@code mvn verify -pl itests -am -Dit.test=ArchitectureIT -Dhirundo.drawRooms=true}. */
    @Test
    void drawingShowsThePackagesOfARun() throws IOException {
        List<List<String>> rows = List.of(
                List.of("trainer", "planner", "inference", "configuration"),
                List.of("lib-run", "lib-inference", "lib-configuration"),
                List.of("lib-engine"));
        Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
        Map<String, Set<String>> libraries = new TreeMap<>();
        for (List<String> row : rows) {
            for (String bundle : row) {
                packages.put(bundle, shortened(classes.packagesOf(bundle)));
                var used = new TreeSet<>(uses.get(bundle).keySet());
                used.remove("api");
                libraries.put(bundle, used);
            }
        }
        String drawn = RoomsDrawing.of(rows, packages, libraries);
        Path file = Path.of("..", "docs", "images", "rooms.svg");
        if (Boolean.getBoolean("hirundo.drawRooms")) {
            Files.writeString(file, drawn);
        }
        assertEquals(Files.readString(file), drawn, "docs/images/rooms.svg is out of date; draw it again");
    }

    /** Without what the names of all packages of a bundle begin with. */
    private static Map<String, Set<String>> shortened(Map<String, Set<String>> packages) {
        Map<String, Set<String>> shorter = new TreeMap<>();
        packages.forEach((name, used) -> shorter.put(
                shortened(name),
                used.stream().map(ArchitectureIT::shortened).collect(Collectors.toCollection(TreeSet::new))));
        return shorter;
    }

    private static String shortened(String name) {
        return name.replaceFirst("^io\\.hirundo\\.(lib\\.\\w+|\\w+\\.internal)\\.", "");
    }

    @Test
    void countsFloors() {
        Map<String, Set<String>> packages =
                Map.of("a", Set.of("b", "d"), "b", Set.of("c"), "c", Set.of("b"), "d", Set.of());
        assertEquals(3, new PackageGraph(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of())).floors());
        // b and c are one floor.
        assertEquals(2, new PackageGraph(packages).floors());
        Map<String, Set<String>> above =
                Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("b", "d"), "d", Set.of("e"), "e", Set.of());
        assertEquals(4, new PackageGraph(above).floors());
    }

    @Test
    void noBundleIsLarge() throws IOException {
        var large = new TreeMap<String, Long>();
        for (String bundle : classes.bundles()) {
            try (Stream<Path> files = Files.walk(BUNDLES.resolve(bundle).resolve("src/main/java"))) {
                long lines = files.filter(file -> file.toString().endsWith(".java"))
                        .mapToLong(ArchitectureIT::lines)
                        .sum();
                if (lines > OTHER_LIMITS.getOrDefault(bundle, MOST_LINES_OF_A_BUNDLE)) {
                    large.put(bundle, lines);
                }
            }
        }
        assertEquals(Map.of(), large);
    }

    @Test
    void noSourceFileIsLong() throws IOException {
        try (Stream<Path> files = Files.walk(BUNDLES)) {
            List<String> tooLong = files.filter(file ->
                            file.toString().matches(".*[/\\\\]src[/\\\\](main|test)[/\\\\]java[/\\\\].*\\.java"))
                    .filter(file -> lines(file) > MOST_LINES && !file.endsWith(SPLIT_WITH_THE_NEXT_API))
                    .map(file -> BUNDLES.relativize(file) + ": " + lines(file) + " lines, at most " + MOST_LINES)
                    .toList();
            assertEquals(List.of(), tooLong);
        }
    }

    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
