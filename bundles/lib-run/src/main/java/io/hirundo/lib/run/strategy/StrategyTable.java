package io.hirundo.lib.run.strategy;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.configuration.binding.RecordBinder;
import io.hirundo.lib.configuration.binding.Suggestion;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A fixed set of strategies: a snapshot of the services, or a test's.
 *
 * @param offers by kind and name; a name occurs once for each contract
 */
public record StrategyTable(List<Offer> offers) implements StrategyCatalog {
    /** System properties of the launcher: the installed profiles, and the name of the program. */
    private static final String PROFILES = "hirundo.profiles";

    private static final String PROGRAM = "hirundo.program";

    public StrategyTable {
        offers = offers.stream()
                .sorted(Comparator.comparing(Offer::kind).thenComparing(Offer::name))
                .toList();
    }

    public static StrategyTable of(Offer... offers) {
        return new StrategyTable(List.of(offers));
    }

    @Override
    public List<StrategyInfo> list() {
        return offers.stream().map(Offer::info).toList();
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        return contract.cast(lease(contract, choice, path).strategy());
    }

    @Override
    public <S> Lease lease(Class<S> contract, Choice choice, String path) {
        Problems problems = new Problems();
        Offer offer = find(contract, choice, path, problems);
        Record options = offer == null ? null : bind(offer, choice, path, problems);
        problems.throwIfAny("");
        try {
            return new Lease(path, choice, offer, contract.cast(make(offer.factory(), options)));
        } catch (ConfigurationException e) {
            if (e.getMessage().startsWith(path + ".")) {
                throw e;
            }
            throw new ConfigurationException(path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Choice resolve(Class<?> contract, Choice choice, String path, Problems problems) {
        Offer offer = find(contract, choice, path, problems);
        Record options = offer == null ? null : bind(offer, choice, path, problems);
        return options == null ? choice : new Choice(choice.name(), Trees.of(options));
    }

    @Override
    public Lease hold(Lease lease) {
        return lease;
    }

    @Override
    public void release(Lease lease) {}

    @Override
    public boolean serves(Offer offer) {
        return offers.contains(offer);
    }

    @Override
    public boolean isThere(Offer offer) {
        return serves(offer);
    }

    @Override
    public Registration onChange(Runnable listener) {
        return () -> {};
    }

    private Offer find(Class<?> contract, Choice choice, String path, Problems problems) {
        List<Offer> serving = offers.stream()
                .filter(offer -> offer.factory().contract() == contract)
                .toList();
        Optional<Offer> found = serving.stream()
                .filter(offer -> offer.name().equals(choice.name()))
                .findFirst();
        if (found.isEmpty()) {
            problems.add(path, unknown(contract, choice.name(), serving));
        }
        return found.orElse(null);
    }

    private String unknown(Class<?> contract, String name, List<Offer> serving) {
        String elsewhere = offers.stream()
                .filter(offer -> offer.name().equals(name))
                .findFirst()
                .map(offer -> " here, it is a strategy of kind " + offer.kind())
                .orElse("");
        String allowed = serving.isEmpty()
                ? "no bundle of this profile offers a " + contract.getSimpleName()
                : Suggestion.among(name, serving.stream().map(Offer::name).toList());
        return "\"" + Excerpt.of(name) + "\" is unknown" + elsewhere + "; "
                + (elsewhere.isEmpty() ? ofAnotherProfile(contract, name) : "") + allowed;
    }

    /** Devices that need more than a JDK have a profile of their name. */
    private static String ofAnotherProfile(Class<?> contract, String name) {
        return contract == ComputeBackend.class
                        && List.of(System.getProperty(PROFILES, "").split(", ")).contains(name)
                ? "the profile " + name + " offers it: start " + System.getProperty(PROGRAM, "hirundo") + " --profile "
                        + name + ". Without, "
                : "";
    }

    private Record bind(Offer offer, Choice choice, String path, Problems problems) {
        return new RecordBinder(this, problems)
                .bind(
                        offer.factory().optionsType(),
                        migrated(offer, choice, path + ".options", problems),
                        path + ".options");
    }

    private static Map<String, Object> migrated(Offer offer, Choice choice, String path, Problems problems) {
        try {
            return offer.factory().migrated(choice.options());
        } catch (ConfigurationException | IllegalArgumentException | ClassCastException failure) {
            problems.add(path, "\"" + offer.name() + "\" cannot read them: " + Reason.of(failure));
            return choice.options();
        }
    }

    private static <O extends Record, S> S make(StrategyFactory<O, S> factory, Record options) {
        return factory.create(factory.optionsType().cast(options));
    }
}
