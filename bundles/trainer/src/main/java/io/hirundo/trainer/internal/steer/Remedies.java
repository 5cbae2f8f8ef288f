package io.hirundo.trainer.internal.steer;

import io.hirundo.lib.configuration.binding.ValueType;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.reference.SettingRow;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.train.StrategyInUse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Says what the user can do while a run waits for a missing strategy. */
public final class Remedies {
    private final StrategyCatalog catalog;
    private final LongSupplier waitSeconds;

    /** {@code waitSeconds}: the current {@code swap.waitSeconds}. */
    public Remedies(StrategyCatalog catalog, LongSupplier waitSeconds) {
        this.catalog = catalog;
        this.waitSeconds = waitSeconds;
    }

    /**
     * Names alternative strategies and the time left.
     *
     * @param gone strategies whose bundles are missing
     * @param sinceNanos how long they have been missing
     */
    String of(List<StrategyInUse> gone, long sinceNanos) {
        String swaps = gone.stream().map(this::swap).collect(Collectors.joining());
        long left = Math.max(0, waitSeconds.getAsLong() - TimeUnit.NANOSECONDS.toSeconds(sinceNanos));
        return swaps + "put " + (gone.size() == 1 ? "its bundle" : "their bundles") + " back into plugins/; in " + left
                + " s the run saves and ends (swap.waitSeconds)";
    }

    private String swap(StrategyInUse gone) {
        Class<?> contract = contract(gone.path());
        String others = catalog.offers().stream()
                .filter(offer ->
                        offer.factory().contract() == contract && !offer.name().equals(gone.name()))
                .map(Offer::name)
                .collect(Collectors.joining(" or "));
        return others.isEmpty() ? "" : "swap " + gone.path() + " " + others + ", or ";
    }

    /** The contract of the strategy at a path, or of a list's elements; null where the path holds no strategy. */
    private static Class<?> contract(String path) {
        String setting = path.replaceFirst("\\[.*", "");
        return SettingRow.of(RunConfiguration.class).stream()
                .filter(row -> row.path().equals(setting))
                .findFirst()
                .map(row -> contract(row.type()))
                .orElse(null);
    }

    private static Class<?> contract(ValueType type) {
        return switch (type) {
            case ValueType.Strategy strategy -> strategy.contract();
            case ValueType.ListOf list -> contract(list.element());
            default -> null;
        };
    }
}
