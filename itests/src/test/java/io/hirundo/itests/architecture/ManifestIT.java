package io.hirundo.itests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Profiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Constants;

/** Checks the manifests of our bundles: which packages they export and import. */
class ManifestIT {
    private static final String OURS = "io.hirundo.";

    /** Third parties that bundles may import; another one is a decision, to be made here. */
    private static final List<String> ALLOWED = List.of(
            "com.fasterxml.jackson.", "jcuda", "picocli", "org.slf4j", "org.osgi.", "org.apache.felix.", "org.jline.");

    /** Our bundles that embed and export third-party code. */
    private static final Set<String> WRAPPERS = Set.of("io.hirundo.slf4j", "io.hirundo.jcuda");

    /** A bundle of ours and its headers. */
    private record Ours(String name, Set<String> exports, Set<String> imports) {}

    @Test
    void onlyTheApiAndLibrariesExportPackages() throws IOException {
        for (Ours bundle : ours()) {
            if (!isApi(bundle) && !isLibrary(bundle) && !WRAPPERS.contains(bundle.name)) {
                assertEquals(
                        Set.of(),
                        bundle.exports,
                        bundle.name + " exports packages: contracts belong in api, shared code in a lib-* bundle");
            }
        }
    }

    @Test
    void implementationsImportOnlyTheApiAndLibraries() throws IOException {
        List<Ours> all = ours();
        Set<String> api = exports(all.stream().filter(ManifestIT::isApi));
        Set<String> libraries = exports(all.stream().filter(ManifestIT::isLibrary));
        assertFalse(libraries.isEmpty());
        for (Ours bundle : all) {
            Set<String> forbidden = new TreeSet<>(bundle.imports);
            forbidden.removeIf(p -> !p.startsWith(OURS) && !p.equals("io.hirundo"));
            forbidden.removeAll(bundle.exports);
            forbidden.removeAll(api);
            if (!isApi(bundle)) {
                forbidden.removeAll(libraries);
            }
            assertEquals(Set.of(), forbidden, bundle.name + " imports another implementation bundle");
        }
    }

    private static boolean isApi(Ours bundle) {
        return bundle.name.equals(OURS + "api");
    }

    private static boolean isLibrary(Ours bundle) {
        return bundle.name.startsWith(OURS + "lib-");
    }

    private static Set<String> exports(Stream<Ours> bundles) {
        return bundles.flatMap(bundle -> bundle.exports.stream()).collect(Collectors.toSet());
    }

    @Test
    void thirdPartiesAreThoseThatWereDecidedOn() throws IOException {
        for (Ours bundle : ours()) {
            Set<String> others = new TreeSet<>(bundle.imports);
            others.removeIf(p ->
                    p.startsWith("io.hirundo") || isJdk(p) || ALLOWED.stream().anyMatch(p::startsWith));
            assertEquals(Set.of(), others, bundle.name + " imports packages of a library that is not on the list");
        }
    }

    @Test
    void theApiKnowsTheJdkAlone() throws IOException {
        Ours api = ours().stream().filter(ManifestIT::isApi).findFirst().orElseThrow();
        Set<String> others = new TreeSet<>(api.imports);
        others.removeIf(p -> p.startsWith("io.hirundo") || isJdk(p));
        assertEquals(Set.of(), others);
        assertTrue(api.exports.contains("io.hirundo"), api.exports::toString);
    }

    private static boolean isJdk(String packageName) {
        return ModuleLayer.boot().modules().stream()
                .anyMatch(module -> module.getPackages().contains(packageName));
    }

    private static List<Ours> ours() throws IOException {
        List<Ours> bundles = new ArrayList<>();
        for (Path jar : Profiles.bundles("cuda")) {
            try (JarFile file = new JarFile(jar.toFile())) {
                Manifest manifest = file.getManifest();
                String name = manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME);
                if (name.startsWith(OURS)) {
                    bundles.add(new Ours(
                            name,
                            packages(manifest, Constants.EXPORT_PACKAGE),
                            packages(manifest, Constants.IMPORT_PACKAGE)));
                }
            }
        }
        assertFalse(bundles.isEmpty());
        return bundles;
    }

    private static Set<String> packages(Manifest manifest, String header) {
        String value = manifest.getMainAttributes().getValue(header);
        if (value == null) {
            return Set.of();
        }
        Set<String> packages = new TreeSet<>();
        // Commas inside quotes belong to version ranges and uses lists, not to the list of clauses.
        for (String part : value.replaceAll("\"[^\"]*\"", "").split("[,;]", -1)) {
            if (!part.contains("=")) {
                packages.add(part.strip());
            }
        }
        return packages;
    }
}
