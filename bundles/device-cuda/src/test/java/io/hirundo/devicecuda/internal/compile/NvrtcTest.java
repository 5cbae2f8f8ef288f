package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * NVIDIA's runtime compiler compiles every kernel; it needs no GPU. {@code HIRUNDO_TOOLKIT} names a folder with {@code libnvrtc}, as the
 * option {@code toolkit} of the device does, for instance {@code site-packages/nvidia/cu13} of Python's package {@code nvidia-cuda-nvrtc}.
 * Skipped without it.
 */
class NvrtcTest {
    private static final Path SOURCES = Path.of("src/main/cuda/sm90");

    @Test
    @Timeout(300)
    void compilesEveryKernel() throws IOException {
        String toolkit = System.getenv("HIRUNDO_TOOLKIT");
        assumeTrue(toolkit != null, "HIRUNDO_TOOLKIT names no folder with libnvrtc");
        Nvrtc compiler = Nvrtc.open(Nvrtc.candidates(toolkit, 13000))
                .orElseThrow(() -> new AssertionError("there is no libnvrtc in " + toolkit));
        try (var files = Files.list(SOURCES)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".cu"))
                    .map(name -> name.replace(".cu", ""))
                    .sorted()
                    .toList();
            assertTrue(names.size() > 10, names::toString);
            for (String name : names) {
                byte[] cubin = compiler.compile(KernelSource.of(name), KernelCompiler.OF_NVRTC);
                // An ELF file.
                assertTrue(cubin.length > 1000 && cubin[0] == 0x7f && cubin[1] == 'E', name);
            }
            System.out.println("NVRTC " + compiler.version() + " compiles " + names.size() + " kernel files");
        }
    }
}
