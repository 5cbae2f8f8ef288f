package io.hirundo.itests.architecture;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The compiled classes of all bundles, and what they use of each other. Which bundle a class is in follows from where its file is. */
final class BundleClasses {
    private static final String CLASSES = "target/classes";

    private final Path bundles;
    private final JavaClasses classes;
    private final Map<String, String> bundleOfClass = new TreeMap<>();

    /** {@code bundles}: the folder of all bundles, built. */
    BundleClasses(Path bundles) throws IOException {
        this.bundles = bundles.toRealPath();
        // Only our own classes are of interest, and all of them are imported.
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        List<Path> folders = new ArrayList<>();
        try (Stream<Path> all = Files.list(this.bundles)) {
            all.map(bundle -> bundle.resolve(CLASSES))
                    .filter(Files::isDirectory)
                    .sorted()
                    .forEach(folders::add);
        }
        // Bundles that embed others' libraries have their classes in the same folder.
        this.classes = new ClassFileImporter()
                .withImportOption(file -> file.contains("/" + CLASSES + "/io/hirundo/"))
                .importPaths(folders);
        for (JavaClass one : classes) {
            bundleOfClass.put(
                    one.getName(), bundleOf(one.getSource().orElseThrow().getUri()));
        }
    }

    private String bundleOf(URI file) {
        return bundles.relativize(Path.of(file)).getName(0).toString();
    }

    Set<String> bundles() {
        return new TreeSet<>(bundleOfClass.values());
    }

    /** Uses of classes of other bundles: {@code user's class -> used class} for each bundle and the bundle that it uses. */
    Map<String, Map<String, Set<String>>> usesOfBundles() {
        var uses = new TreeMap<String, Map<String, Set<String>>>();
        for (JavaClass user : classes) {
            String bundle = bundleOfClass.get(user.getName());
            usedBy(user)
                    .filter(used -> !bundleOfClass.get(used.getName()).equals(bundle))
                    .forEach(used -> uses.computeIfAbsent(bundle, key -> new TreeMap<>())
                            .computeIfAbsent(bundleOfClass.get(used.getName()), key -> new TreeSet<>())
                            .add(user.getName() + " -> " + used.getName()));
        }
        return uses;
    }

    /** For each package of a bundle the others of the same bundle that it uses. */
    Map<String, Set<String>> packagesOf(String bundle) {
        var uses = new TreeMap<String, Set<String>>();
        for (JavaClass user : classes) {
            if (bundleOfClass.get(user.getName()).equals(bundle)) {
                Set<String> others = uses.computeIfAbsent(user.getPackageName(), key -> new TreeSet<>());
                usedBy(user)
                        .filter(used -> bundleOfClass.get(used.getName()).equals(bundle))
                        .map(JavaClass::getPackageName)
                        .filter(other -> !other.equals(user.getPackageName()))
                        .forEach(others::add);
            }
        }
        return uses;
    }

    private Stream<JavaClass> usedBy(JavaClass user) {
        return user.getDirectDependenciesFromSelf().stream()
                .map(use -> use.getTargetClass().getBaseComponentType())
                .filter(used -> bundleOfClass.containsKey(used.getName()));
    }
}
