package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelComparison;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares every kernel but those of {@link VariantCasesTest}, emulated on the CPU, with the scalar reference of device-cpu. */
class KernelCasesTest {
    @RegisterExtension
    static final CaseDevices DEVICES = new CaseDevices();

    private static KernelComparison comparison;

    @BeforeAll
    static void open() {
        comparison = DEVICES.comparison(DEVICES.stub().backend());
    }

    static List<KernelCase> cases() {
        return KernelCases.small().stream()
                .filter(kernelCase -> !VariantCasesTest.hasVariants(kernelCase))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void equalsTheReference(KernelCase kernelCase) {
        assertEquals(Optional.empty(), comparison.difference(kernelCase));
    }
}
