package io.hirundo.lib.engine.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Chooses one offer for each family, so that all families that it is composed of are there, and none of them is composed of it. */
final class KernelResolution {
    private final String device;
    private final Predicate<Class<?>> deviceHas;
    /** Receives offers that are not taken, and why. */
    private final BiConsumer<KernelOffer, String> reject;

    private final Map<Class<?>, KernelOffer> chosen = new LinkedHashMap<>();

    KernelResolution(String device, Predicate<Class<?>> deviceHas, BiConsumer<KernelOffer, String> reject) {
        this.device = device;
        this.deviceHas = deviceHas;
        this.reject = reject;
    }

    /**
     * Of each family the best that can be taken.
     *
     * @param offers the best tier first; all run on the device
     */
    Map<Class<?>, KernelOffer> choose(List<KernelOffer> offers) {
        var open = new ArrayList<>(offers);
        Set<Class<?>> served = served(open);
        open.removeIf(offer -> lacks(offer, served));
        while (!open.isEmpty()) {
            Map<Class<?>, KernelOffer> best = new LinkedHashMap<>();
            open.forEach(offer -> best.putIfAbsent(family(offer), offer));
            if (!best.values().removeIf(offer -> takeIfComplete(offer, open))) {
                // The first served of a cycle is served by another offer than its best one, which waits for a family
                // that is served later.
                KernelOffer endless = served(open).stream()
                        .map(best::get)
                        .filter(offer -> returns(offer, best))
                        .findFirst()
                        .orElseThrow();
                reject.accept(endless, "it is composed of itself");
                open.remove(endless);
            }
        }
        return chosen;
    }

    private static Class<?> family(KernelOffer offer) {
        return offer.provider().family();
    }

    private boolean has(Class<?> family) {
        return deviceHas.test(family) || chosen.containsKey(family);
    }

    private boolean lacks(KernelOffer offer, Set<Class<?>> served) {
        List<Class<?>> lacking = offer.provider().composes().stream()
                .filter(each -> !has(each) && !served.contains(each))
                .toList();
        if (!lacking.isEmpty()) {
            reject.accept(offer, "it is composed of " + KernelChoice.names(lacking) + ", which " + device + " lacks");
        }
        return !lacking.isEmpty();
    }

    /** Takes an offer whose families are all chosen, and rejects the others of its family. */
    private boolean takeIfComplete(KernelOffer offer, List<KernelOffer> open) {
        if (!offer.provider().composes().stream().allMatch(this::has)) {
            return false;
        }
        chosen.put(family(offer), offer);
        open.remove(offer);
        open.stream()
                .filter(other -> family(other) == family(offer))
                .forEach(other -> reject.accept(other, offer.name() + " is preferred"));
        open.removeIf(other -> family(other) == family(offer));
        return true;
    }

    /** Families not chosen yet that some offers bring, in an order in which each is composed of earlier ones. */
    private Set<Class<?>> served(List<KernelOffer> offers) {
        Set<Class<?>> served = new LinkedHashSet<>();
        boolean more = true;
        while (more) {
            more = false;
            for (KernelOffer offer : offers) {
                more |= offer.provider().composes().stream().allMatch(each -> has(each) || served.contains(each))
                        && served.add(family(offer));
            }
        }
        return served;
    }

    /** Whether an offer is composed of its own family, directly or by the best offers of others. */
    private boolean returns(KernelOffer offer, Map<Class<?>, KernelOffer> best) {
        Set<Class<?>> reached = new HashSet<>();
        List<Class<?>> next = new ArrayList<>(offer.provider().composes());
        while (!next.isEmpty()) {
            Class<?> family = next.removeLast();
            if (reached.add(family) && best.containsKey(family)) {
                next.addAll(best.get(family).provider().composes());
            }
        }
        return reached.contains(family(offer));
    }
}
