package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.ConfigurationException;
import io.hirundo.devicecpu.internal.gemm.OperandGemm;
import io.hirundo.devicecpu.internal.gemm.VectorGemm;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What multiplies on a device.
 *
 * @param library empty for the Vector API alone
 * @param served types of operands that the library multiplies
 * @param reasons what was chosen and why, for a log: a line
 */
public record GemmChoice(Optional<GemmLibrary> library, Set<DType> served, String reasons) {
    /** Takes a library for the types that it is good for here, and the Vector API for the rest. */
    public static final String AUTO = "auto";

    /** The Vector API alone: the same bits on every machine. */
    public static final String VECTOR = "vector";

    private static final List<DType> TYPES = List.of(DType.FP32, DType.BF16);

    /** The scalar reference. */
    public static GemmChoice reference() {
        return new GemmChoice(Optional.empty(), Set.of(), "GEMMs by the reference kernels: as configured");
    }

    private static GemmChoice vector(String reason) {
        return new GemmChoice(Optional.empty(), Set.of(), "GEMMs by the Vector API: " + reason);
    }

    /**
     * Decides.
     *
     * @param requested {@link #AUTO}, {@link #VECTOR} or the name of a library
     * @throws ConfigurationException if the named library is not there or cannot multiply BF16 or FP32 here
     */
    public static GemmChoice of(String requested, List<GemmLibrary> libraries) {
        if (requested.equals(VECTOR)) {
            return vector("as configured");
        }
        if (requested.equals(AUTO)) {
            List<GemmChoice> choices =
                    libraries.stream().map(library -> of(library, AUTO)).toList();
            return choices.stream()
                    .filter(choice -> choice.library().isPresent())
                    .findFirst()
                    .orElseGet(() -> vector(
                            choices.isEmpty()
                                    ? "no bundle offers a library"
                                    : String.join(
                                            "; ",
                                            choices.stream()
                                                    .map(GemmChoice::reasons)
                                                    .toList())));
        }
        Optional<GemmLibrary> library = libraries.stream()
                .filter(candidate -> requested.equals(candidate.name()))
                .findFirst();
        if (library.isPresent()) {
            return of(library.get(), requested);
        }
        List<String> allowed = new ArrayList<>(List.of(AUTO, VECTOR));
        libraries.forEach(offered -> allowed.add(offered.name()));
        throw new ConfigurationException("device.options.gemm: '" + requested + "' is wrong (allowed in this profile: "
                + String.join(", ", allowed) + "); set one of these, or install a bundle that offers this library");
    }

    private static GemmChoice of(GemmLibrary library, String requested) {
        Set<DType> served = EnumSet.noneOf(DType.class);
        List<String> obstacles = new ArrayList<>();
        for (DType type : TYPES) {
            Optional<String> obstacle = library.obstacle(type);
            if (obstacle.isEmpty() && requested.equals(AUTO) && !library.isFaster(type)) {
                obstacle = Optional.of("the Vector API is as fast, and has the same bits on every machine");
            }
            obstacle.ifPresentOrElse(why -> obstacles.add(type + ": " + why), () -> served.add(type));
        }
        if (served.isEmpty()) {
            if (!requested.equals(AUTO)) {
                throw new ConfigurationException(
                        "device.options.gemm: '" + requested + "' cannot multiply on this machine ("
                                + String.join("; ", obstacles) + "); set device.options.gemm to auto");
            }
            return new GemmChoice(
                    Optional.empty(), Set.of(), "not by " + library.name() + " (" + String.join("; ", obstacles) + ")");
        }
        String inBf16 = served.contains(DType.BF16) ? ", and those of FP8 matrices and of attention in BF16," : "";
        String by = "GEMMs of "
                + String.join(" and ", served.stream().map(DType::name).toList()) + inBf16 + " by "
                + library.description();
        String rest = obstacles.isEmpty() ? "" : ", others by the Vector API (" + String.join("; ", obstacles) + ")";
        return new GemmChoice(Optional.of(library), served, by + rest);
    }

    /** GEMM kernels as decided, to be closed with their device. */
    public OperandGemm open(WorkerPool pool, Scratch shared) {
        VectorGemm own = new VectorGemm(pool, shared);
        return library.isPresent() ? new LibraryGemm(pool, library.get(), served, own) : own;
    }
}
