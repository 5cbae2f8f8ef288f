package io.hirundo.trainer.internal.kernel;

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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private KernelChoice(String device, Set<Class<?>> missing) {
    this.device = device;
    this.missing = missing;
  }

  /** Chooses. Opens nothing. */
  public static KernelChoice of(ComputeBackend backend, List<KernelOffer> offers) {
    var choice = new KernelChoice(backend.memoryProfile().deviceName(), Set.copyOf(backend.missingKernels()));
    List<KernelOffer> fitting =
        offers.stream()
            .filter(offer -> choice.isFor(offer.provider()))
            .sorted(Comparator.comparing((KernelOffer offer) -> offer.provider().tier()).reversed())
            .toList();
    if (!fitting.isEmpty()) {
      // Only where there are offers, because listing GPUs loads their driver.
      choice.choose(fitting, backend.devices().stream().findFirst());
    }
    return choice;
  }

  private boolean isFor(KernelProvider<?> provider) {
    return Set.of(device, KernelProvider.ANY_BACKEND).contains(provider.backend()) && !deviceHas(provider.family());
  }

  private boolean deviceHas(Class<?> family) {
    return KernelFamilies.required().contains(family) || KernelFamilies.optional().contains(family) && !missing.contains(family);
  }

  /** The first of each family that runs. {@code fitting} begins with the best tier. */
  private void choose(List<KernelOffer> fitting, Optional<DeviceInfo> machine) {
    List<KernelOffer> supported = fitting.stream().filter(offer -> runs(offer, machine)).toList();
    Set<Class<?>> served = served(supported);
    for (KernelOffer offer : supported) {
      KernelProvider<?> provider = offer.provider();
      List<Class<?>> lacking = lacking(provider, served);
      if (!lacking.isEmpty()) {
        reject(offer, "it is composed of " + names(lacking) + ", which " + device + " lacks");
      } else if (chosen.putIfAbsent(provider.family(), offer) != null) {
        reject(offer, chosen.get(provider.family()).name() + " is preferred");
      }
    }
  }

  private boolean runs(KernelOffer offer, Optional<DeviceInfo> machine) {
    Support support = machine.map(offer.provider()::supports).orElse(Support.YES);
    if (!support.supported()) {
      reject(offer, support.reason());
    }
    return support.supported();
  }

  /** Families with an offer, all of whose own families are there, too: of the device or, found earlier, of others. */
  private Set<Class<?>> served(List<KernelOffer> offers) {
    Set<Class<?>> served = new HashSet<>();
    boolean more = true;
    while (more) {
      more = false;
      for (KernelOffer offer : offers) {
        more |= lacking(offer.provider(), served).isEmpty() && served.add(offer.provider().family());
      }
    }
    return served;
  }

  private List<Class<?>> lacking(KernelProvider<?> provider, Set<Class<?>> served) {
    return provider.composes().stream().filter(family -> !deviceHas(family) && !served.contains(family)).toList();
  }

  private void reject(KernelOffer offer, String why) {
    reasons.computeIfAbsent(offer.provider().family(), _ -> new ArrayList<>()).add(offer + " (" + why + ")");
  }

  private static String names(Collection<Class<?>> families) {
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

  /** Why the completed device lacks a family, and what to do: the end of a message. */
  public String explain(Class<?> family) {
    String why = reasons.containsKey(family) ? "not taken: " + String.join(", ", reasons.get(family)) : "no bundle brings them";
    return device + " has no " + family.getSimpleName() + ", and " + why + "; install a bundle with kernels for it, or choose another device";
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

  /** What was taken, and why not better ones: a line. */
  String describe(KernelOffer offer) {
    Class<?> family = offer.provider().family();
    KernelProvider.Tier tier = offer.provider().tier();
    String how =
        tier == KernelProvider.Tier.COMPOSED ? "composed of " + names(offer.provider().composes()) : tier.name().toLowerCase(Locale.ROOT);
    String others = "";
    if (reasons.containsKey(family)) {
      others = "; not by " + String.join(", ", reasons.get(family));
    } else if (tier != KernelProvider.Tier.FAST) {
      others = "; no bundle brings faster ones for " + device;
    }
    return "device " + device + ": " + family.getSimpleName() + " by " + offer + ", " + how + others;
  }
}
