package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelComparison;
import io.hirundo.gpusuite.internal.kernels.KernelComparison.Outputs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the kernels of tensor cores that have variants, emulated on the CPU, with the scalar reference of device-cpu, and their variants
 * with them. A class of its own, so that two JVMs share the work with {@link KernelCasesTest}.
 */
class VariantCasesTest {
    private static final Set<String> WITH_VARIANTS =
            KernelCases.ofVariants().stream().map(KernelCase::name).collect(Collectors.toSet());

    @RegisterExtension
    static final CaseDevices DEVICES = new CaseDevices();

    private static KernelComparison comparison;
    private static KernelComparison ofAttentionByWarps;
    private static KernelComparison ofVariants;

    /** By case: cases of attention are compared with several devices. */
    private static final Map<String, Outputs> EXPECTED = new HashMap<>();

    private static final Map<String, Outputs> FOUND = new HashMap<>();

    @BeforeAll
    static void open() {
        StubCuda stub = DEVICES.stub();
        comparison = DEVICES.comparison(stub.backend());
        ofAttentionByWarps = DEVICES.comparison(stub.attendingByWarps());
        ofVariants = DEVICES.comparison(stub.withVariants());
    }

    static List<KernelCase> cases() {
        return KernelCases.small().stream()
                .filter(VariantCasesTest::hasVariants)
                .toList();
    }

    static boolean hasVariants(KernelCase kernelCase) {
        return WITH_VARIANTS.contains(kernelCase.name());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void equalsTheReference(KernelCase kernelCase) {
        assertEquals(
                Optional.empty(), KernelComparison.difference(kernelCase, expected(kernelCase), found(kernelCase)));
    }

    static List<KernelCase> attention() {
        return KernelCases.attention();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attention")
    void attentionByWarpsEqualsTheReference(KernelCase kernelCase) {
        assertEquals(
                Optional.empty(),
                KernelComparison.difference(kernelCase, expected(kernelCase), ofAttentionByWarps.onDevice(kernelCase)));
    }

    static List<KernelCase> variants() {
        return KernelCases.ofVariants();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("variants")
    void variantsComputeTheSameBits(KernelCase kernelCase) {
        var bitwise = new KernelCase(kernelCase.name(), 0, kernelCase.body());
        assertEquals(
                Optional.empty(),
                KernelComparison.difference(bitwise, found(kernelCase), ofVariants.onDevice(bitwise)));
    }

    private static Outputs expected(KernelCase kernelCase) {
        return EXPECTED.computeIfAbsent(kernelCase.name(), _ -> comparison.onReference(kernelCase));
    }

    private static Outputs found(KernelCase kernelCase) {
        return FOUND.computeIfAbsent(kernelCase.name(), _ -> comparison.onDevice(kernelCase));
    }
}
