package io.hirundo.lib.engine.kernel;

import io.hirundo.Reason;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.KernelFamilies;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.precision.Support;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which kernels of bundles complete a device: for each family that it lacks, those of the best tier that run there. Thread-safe. */
public final class KernelChoice {
    private static final Logger LOG = LoggerFactory.getLogger(KernelChoice.class);

    private final String device;
    private final Set<Class<?>> missing;
    private final Map<Class<?>, KernelOffer> chosen = new LinkedHashMap<>();
    /** By family, why other offers were not taken. */
    private final Map<Class<?>, List<String>> reasons = new HashMap<>();
    /** By family, the log line of kernels that a rank has opened. */
    private final Map<Class<?>, String> opened = Collections.synchronizedMap(new LinkedHashMap<>());
    /** By family, the line of kernels that a plan has opened. */
    private final Map<Class<?>, String> counted = Collections.synchronizedMap(new LinkedHashMap<>());
    /** Whether the machine has the device, so that providers were asked whether they run there. */
    private boolean checked;

    private KernelChoice(String device, Set<Class<?>> missing) {
        this.device = device;
        this.missing = missing;
    }

    /** Chooses. Opens nothing. */
    public static KernelChoice of(ComputeBackend backend, List<KernelOffer> offers) {
        var choice = new KernelChoice(backend.memoryProfile().deviceName(), Set.copyOf(backend.missingKernels()));
        List<KernelOffer> fitting = offers.stream()
                .filter(choice::fits)
                .sorted(Comparator.comparing(
                                (KernelOffer offer) -> offer.provider().tier())
                        .reversed())
                .toList();
        if (!fitting.isEmpty()) {
            // Only where there are offers, because listing GPUs loads their driver.
            Optional<DeviceInfo> machine = backend.devices().stream().findFirst();
            choice.checked = machine.isPresent();
            List<KernelOffer> running = fitting.stream()
                    .filter(offer -> choice.runs(offer, machine))
                    .toList();
            choice.chosen.putAll(
                    new KernelResolution(choice.device, choice::deviceHas, choice::reject).choose(running));
        }
        return choice;
    }

    /** Whether an offer is for this device and brings what it lacks. A provider that throws is rejected: a run may not need its kernels. */
    private boolean fits(KernelOffer offer) {
        Class<?> family = null;
        try {
            KernelProvider<?> provider = offer.provider();
            family = Objects.requireNonNull(provider.family(), "family() is null");
            Objects.requireNonNull(provider.tier(), "tier() is null");
            Set.copyOf(Objects.requireNonNull(provider.composes(), "composes() is null"));
            return Set.of(device, KernelProvider.ANY_BACKEND)
                            .contains(Objects.requireNonNull(provider.backend(), "backend() is null"))
                    && !deviceHas(family);
        } catch (RuntimeException | LinkageError failure) {
            fail(offer, family, failure);
            return false;
        }
    }

    private boolean deviceHas(Class<?> family) {
        return KernelFamilies.required().contains(family)
                || KernelFamilies.optional().contains(family) && !missing.contains(family);
    }

    private boolean runs(KernelOffer offer, Optional<DeviceInfo> machine) {
        try {
            // Not Optional.map, for which null is an empty answer.
            Support support = machine.isEmpty()
                    ? Support.YES
                    : Objects.requireNonNull(offer.provider().supports(machine.get()), "supports() is null");
            if (!support.supported()) {
                reject(offer, support.reason());
            }
            return support.supported();
        } catch (RuntimeException | LinkageError failure) {
            fail(offer, offer.provider().family(), failure);
            return false;
        }
    }

    private void reject(KernelOffer offer, String why) {
        reject(offer, offer.provider().family(), why);
    }

    private void reject(KernelOffer offer, Class<?> family, String why) {
        reasons.computeIfAbsent(family, _ -> new ArrayList<>()).add(offer + " (" + why + ")");
    }

    /** {@code family} is null if that is what failed. */
    private void fail(KernelOffer offer, Class<?> family, Throwable failure) {
        LOG.warn("device {} does not take the kernels {}, because their provider failed", device, offer, failure);
        if (family != null) {
            reject(offer, family, "its provider failed: " + Reason.of(failure));
        }
    }

    static String names(Collection<Class<?>> families) {
        return families.stream().map(Class::getSimpleName).sorted().collect(Collectors.joining(" and "));
    }

    /** What was chosen, one for each family. */
    public List<KernelOffer> chosen() {
        return List.copyOf(chosen.values());
    }

    /** Whether the completed device has a family. */
    public boolean has(Class<?> family) {
        return deviceHas(family) || chosen.containsKey(family);
    }

    /** That a user of a family needs it, why the completed device lacks it, and what to do: a message that can continue. */
    public String lacks(String user, Class<?> family) {
        boolean isOffered = reasons.containsKey(family);
        String why =
                isOffered ? "these do not run: " + String.join(", ", reasons.get(family)) : "no bundle provides them";
        return user + " needs " + family.getSimpleName() + ", which device " + device + " lacks (" + why + "); install "
                + (isOffered ? "another" : "such a") + " bundle, or choose another device";
    }

    /** The backend whose devices have these kernels, too. */
    public ComputeBackend complete(ComputeBackend backend) {
        return chosen.isEmpty() ? backend : new CompletedBackend(backend, this);
    }

    Optional<KernelOffer> offer(Class<?> family) {
        return Optional.ofNullable(chosen.get(family));
    }

    /** Logs once for each family, however many ranks open the kernels. */
    void log(KernelOffer offer) {
        String line = describe(offer);
        if (opened.putIfAbsent(offer.provider().family(), line) == null) {
            LOG.info("{}", line);
        }
    }

    /** The lines logged so far, for a log that is opened after the device. */
    public List<String> opened() {
        synchronized (opened) {
            return List.copyOf(opened.values());
        }
    }

    /** Notes kernels that a plan counts. */
    void count(KernelOffer offer) {
        counted.putIfAbsent(
                offer.provider().family(),
                describe(offer) + (checked ? "" : "; not checked on this machine, which has no " + device + " device"));
    }

    /** The lines of the kernels that a plan has counted. */
    public List<String> counted() {
        synchronized (counted) {
            return List.copyOf(counted.values());
        }
    }

    /** What was taken, and why not better ones: a line. */
    String describe(KernelOffer offer) {
        Class<?> family = offer.provider().family();
        KernelProvider.Tier tier = offer.provider().tier();
        String how = tier == KernelProvider.Tier.COMPOSED
                ? "composed of " + names(offer.provider().composes())
                : tier.name().toLowerCase(Locale.ROOT);
        String others = "";
        if (reasons.containsKey(family)) {
            others = "; not by " + String.join(", ", reasons.get(family));
        } else if (tier != KernelProvider.Tier.FAST) {
            others = "; no bundle brings faster ones for " + device;
        }
        return "device " + device + ": " + family.getSimpleName() + " by " + offer + ", " + how + others;
    }
}
