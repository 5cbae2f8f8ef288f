package io.hirundo.regress.internal.set;

import io.hirundo.ConfigurationException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The cases of a set file.
 *
 * @param file the set file
 * @param cases in file order; a case that others are compared with comes before them
 */
public record CaseSet(Path file, List<RegressCase> cases) {
    private static final String GOLDEN = ".golden.json";

    public CaseSet {
        cases = List.copyOf(cases);
    }

    /** The golden file of the set: {@code SET.golden.json} for {@code SET.yaml}. */
    public Path golden() {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.substring(0, name.lastIndexOf('.')) + GOLDEN);
    }

    /**
     * The cases with these names, and those that they are compared with; all cases if there is no name.
     *
     * @throws ConfigurationException for an unknown name
     */
    public List<RegressCase> select(List<String> names) {
        if (names.isEmpty()) {
            return cases;
        }
        Set<String> wanted = new LinkedHashSet<>();
        for (String name : names) {
            RegressCase found = cases.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ConfigurationException(
                            "--case: " + name + " is not in " + file + " (allowed: " + names() + ")"));
            wanted.add(name);
            found.comparedWith().ifPresent(peer -> wanted.add(peer.name()));
        }
        return cases.stream().filter(each -> wanted.contains(each.name())).toList();
    }

    private String names() {
        return String.join(", ", cases.stream().map(RegressCase::name).toList());
    }
}
