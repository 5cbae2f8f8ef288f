package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache of compiled kernels is keyed by all their inputs. */
class KernelCompilerTest {
    private static final KernelSource SOURCE = new KernelSource(
            "tiny", "#include \"common.cuh\"\nKERNEL(32, tiny, int *x) { *x = ANSWER; }", header("#define ANSWER 42"));

    @TempDir
    Path folder;

    private static SortedMap<String, String> header(String text) {
        return new TreeMap<>(Map.of("common.cuh", text));
    }

    private static KernelCompiler compiler(StubCuda stub, int driver, Path folder) {
        return new KernelCompiler(
                Nvrtc.open(Nvrtc.candidates(stub.toolkit(), 13000)).orElseThrow(), driver, folder);
    }

    private List<Path> kept() throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void compilesOnceForSourceHeaderAndDriver() throws IOException {
        StubCuda stub = StubCuda.orSkip();
        int before = stub.compilations();
        byte[] cubin = compiler(stub, 13000, folder).cubin(SOURCE);
        assertArrayEquals(cubin, compiler(stub, 13000, folder).cubin(SOURCE));
        assertEquals(before + 1, stub.compilations());
        assertEquals(1, kept().size());
        assertEquals(
                List.of("--gpu-architecture=sm_90a", "--std=c++17", "--device-as-default-execution-space"),
                stub.lastOptions());
        compiler(stub, 13010, folder).cubin(SOURCE);
        compiler(stub, 13000, folder).cubin(new KernelSource("tiny", SOURCE.text(), header("#define ANSWER 43")));
        assertEquals(before + 3, stub.compilations());
        assertEquals(3, kept().size());
    }

    @Test
    void compilesWithoutAWritableCache() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertTrue(compiler(StubCuda.orSkip(), 13000, file).cubin(SOURCE).length > 0);
    }

    @Test
    void reportsTheCompilersMessage() {
        StubCuda stub = StubCuda.orSkip();
        var wrong = new KernelSource("wrong", "KERNEL(32, wrong, int *x) { *x = unheardOf; }", new TreeMap<>());
        var failure = assertThrows(
                DeviceException.class, () -> compiler(stub, 13000, folder).cubin(wrong));
        assertTrue(failure.getMessage().startsWith("NVRTC 13.0 ("), failure::getMessage);
        assertTrue(failure.getMessage().contains("does not compile wrong.cu: "), failure::getMessage);
        assertTrue(failure.getMessage().contains("unheardOf"), failure::getMessage);
    }
}
