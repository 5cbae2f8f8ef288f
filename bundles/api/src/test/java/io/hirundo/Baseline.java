package io.hirundo;

import aQute.bnd.differ.DiffPluginImpl;
import aQute.bnd.osgi.Constants;
import aQute.bnd.osgi.Jar;
import aQute.bnd.osgi.Processor;
import aQute.bnd.service.diff.Delta;
import aQute.bnd.version.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The API baseline in {@code cnf/baseline}, and the check of package versions against it. */
final class Baseline {
    private static final Path FOLDER = Path.of("../../cnf/baseline");
    private static final String NAME = "hirundo-api-";
    private static final String END = ".jar";

    private Baseline() {}

    /** The newest baseline jar. */
    static Path jar() throws Exception {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().startsWith(NAME)
                            && file.toString().endsWith(END))
                    .max(Comparator.comparing(Baseline::version))
                    .orElseThrow(() -> new AssertionError(
                            "no " + NAME + "VERSION" + END + " in " + FOLDER + ": nothing is frozen"));
        }
    }

    private static Version version(Path file) {
        String name = file.getFileName().toString();
        return Version.parseVersion(name.substring(NAME.length(), name.length() - END.length()));
    }

    /** One line for each package whose version is too low for its changes; packages are checked separately. */
    static List<String> problems(Jar api) throws Exception {
        List<String> problems = new ArrayList<>();
        // bnd allows any change below 1.0; our packages follow semantic versioning from 0.27 on.
        try (Processor processor = new Processor();
                Jar frozen = new Jar(jar().toFile())) {
            processor.setProperty(Constants.BASELINEINCLUDEZEROMAJOR, "true");
            for (var info :
                    new aQute.bnd.differ.Baseline(processor, new DiffPluginImpl()).baseline(api, frozen, null)) {
                if (info.packageDiff.getDelta() == Delta.REMOVED) {
                    problems.add(info.packageName + " is gone, which breaks whoever imports it");
                } else if (info.mismatch) {
                    problems.add(info.packageName + " has changed since " + info.olderVersion + " and says "
                            + info.newerVersion + "; give its package-info " + "@Version(\"" + info.suggestedVersion
                            + "\"), or undo:\n" + info.reason);
                }
            }
        }
        return problems;
    }
}
