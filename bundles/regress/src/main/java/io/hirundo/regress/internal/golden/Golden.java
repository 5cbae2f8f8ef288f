package io.hirundo.regress.internal.golden;

import java.util.List;
import java.util.Optional;

/**
 * Recorded results, the reference for later ones.
 *
 * @param environment environment of the recording
 * @param cases in the order of the set
 */
public record Golden(Environment environment, List<CaseRecord> cases) {
    public Golden {
        cases = List.copyOf(cases);
    }

    public Optional<CaseRecord> find(String name) {
        return cases.stream().filter(each -> each.name().equals(name)).findFirst();
    }
}
