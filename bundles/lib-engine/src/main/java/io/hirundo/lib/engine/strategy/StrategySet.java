package io.hirundo.lib.engine.strategy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Strategies of any kind, by contract and by path in the configuration, from which {@link Strategies} takes those of its components. */
public final class StrategySet {
    private final Map<Class<?>, Map<String, Object>> byContract = new LinkedHashMap<>();

    /** Adds one. {@code path}: where the configuration names it. */
    public <S> S add(Class<S> contract, String path, S strategy) {
        byContract.computeIfAbsent(contract, _ -> new LinkedHashMap<>()).put(path, strategy);
        return strategy;
    }

    /** All of a contract, by path, in the order in which they were added. */
    public <S> Map<String, S> all(Class<S> contract) {
        var all = new LinkedHashMap<String, S>();
        byContract.getOrDefault(contract, Map.of()).forEach((path, strategy) -> all.put(path, contract.cast(strategy)));
        return all;
    }

    /** The only one of a contract, if there is one. */
    public <S> Optional<S> find(Class<S> contract) {
        Map<String, S> all = all(contract);
        if (all.size() > 1) {
            throw new IllegalStateException(
                    "several strategies for " + contract.getSimpleName() + ": " + String.join(", ", all.keySet()));
        }
        return all.values().stream().findFirst();
    }

    /** The only one of a contract. */
    public <S> S get(Class<S> contract) {
        return find(contract)
                .orElseThrow(() -> new NoSuchElementException("no strategy for " + contract.getSimpleName()));
    }

    /** All of a contract. */
    public <S> List<S> list(Class<S> contract) {
        return List.copyOf(all(contract).values());
    }
}
