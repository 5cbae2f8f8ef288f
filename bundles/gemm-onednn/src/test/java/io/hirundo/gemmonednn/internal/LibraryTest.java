package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecpu.internal.GemmCheck;
import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.gemmonednn.internal.NativeFiles.Opened;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.GemmComparison;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Libraries that are too old, or lack functions: each has a reason, and a device multiplies by the Vector API. */
class LibraryTest {
    private static final SymbolLookup NOTHING = _ -> Optional.empty();

    @Test
    void rejectsLibraryWithoutVersion() {
        check(NOTHING, "this oneDNN has no function dnnl_version: it is too old, or built without it");
    }

    @Test
    void rejectsVersionsWithAnotherApi() {
        for (int[] version : new int[][] {{2, 7, 5}, {3, 0, 1}, {4, 0, 0}}) {
            String text = version[0] + "." + version[1] + "." + version[2];
            check(
                    ofVersion(version),
                    "oneDNN " + text + " has another API than 3.1 and later: install a bundle with oneDNN 3");
        }
    }

    @Test
    void rejectsLibraryThatLacksFunctions() {
        check(
                ofVersion(3, 1, 0),
                "this oneDNN has no function dnnl_get_effective_cpu_isa: it is too old, or built without it");
    }

    private static void check(SymbolLookup symbols, String reason) {
        var library = new OneDnn(new NativeFiles(null) {
            @Override
            Opened load() {
                return new Opened(symbols, NOTHING);
            }
        });
        assertEquals(
                reason,
                assertThrows(ConfigurationException.class, library::description).getMessage());
        for (DType type : List.of(DType.FP32, DType.BF16)) {
            assertEquals(Optional.of(reason), library.obstacle(type));
        }
        assertLeavesGemmsToTheVectorApi(library, reason);
    }

    /** That a device and the doctor do without a library that has this obstacle, unless it must not. */
    static void assertLeavesGemmsToTheVectorApi(OneDnn library, String reason) {
        String reasons = new GemmCheck(List.of(library)).look().getFirst().text();
        assertTrue(reasons.startsWith("GEMMs by the Vector API: not by onednn (") && reasons.contains(reason), reasons);
        try (Bench bench =
                Bench.open(new CpuBackend(new CpuOptions(1, CpuOptions.VECTOR, GemmChoice.AUTO), List.of(library)))) {
            GemmComparison.run(bench, DType.BF16, 17, 33, 65, true);
        }
        String rejection = assertThrows(ConfigurationException.class, () -> GemmChoice.of("onednn", List.of(library)))
                .getMessage();
        assertTrue(rejection.contains(reason) && rejection.endsWith("set device.options.gemm to auto"), rejection);
    }

    /** A library that has nothing but {@code dnnl_version}. */
    private static SymbolLookup ofVersion(int... version) {
        MemorySegment numbers = Arena.global().allocateFrom(ValueLayout.JAVA_INT, version);
        MemorySegment function = Linker.nativeLinker()
                .upcallStub(
                        MethodHandles.constant(long.class, numbers.address()),
                        FunctionDescriptor.of(ValueLayout.JAVA_LONG),
                        Arena.global());
        return name -> name.equals("dnnl_version") ? Optional.of(function) : Optional.empty();
    }
}
