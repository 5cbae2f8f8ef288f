package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.DeviceException;
import io.hirundo.command.Check.Finding;
import io.hirundo.command.Check.State;
import io.hirundo.devicecuda.internal.compile.Cubins;
import io.hirundo.devicecuda.internal.compile.CubinsTest;
import io.hirundo.devicecuda.internal.compile.KernelCompiler;
import io.hirundo.devicecuda.internal.compile.KernelSource;
import io.hirundo.devicecuda.internal.compile.Nvrtc;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Books;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Machines without a GPU, or without the software to use it. */
class AbsentCudaTest {
    private static final String REASON = "there is no NVIDIA driver (libno-such-driver.so.1 cannot be opened)";

    private final CudaBackendFactory factory = new CudaBackendFactory(
            new Installation(List.of("libno-such-driver.so.1"), Path.of("target"), Cubins.none()), null);

    @Test
    void hasNoDevicesWithoutADriver() {
        var backend = factory.create(new CudaOptions());
        assertEquals(List.of(), backend.devices());
        var failure = assertThrows(DeviceException.class, () -> backend.open(0, new Books()));
        assertEquals("there is no device cuda: " + REASON, failure.getMessage());
    }

    @Test
    void doctorReportsTheReason() {
        assertEquals(List.of(new Finding(State.ABSENT, "CUDA", REASON)), factory.look());
    }

    @Test
    void doctorReportsTheInstallation() {
        List<Finding> findings = StubCuda.orSkip().factory().look();
        assertEquals(1, findings.size());
        // Whether there is a compiler depends on the machine.
        assertTrue(findings.getFirst().state() != State.ABSENT, findings::toString);
    }

    @Test
    void rejectsADeviceWithoutACompiler() {
        assumeTrue(Nvrtc.open(Nvrtc.candidates("/nowhere", 13000)).isEmpty(), "this machine's loader knows a libnvrtc");
        var backend = StubCuda.orSkip()
                .factory()
                .create(new CudaOptions(
                        "/nowhere", "", -1, CudaOptions.AUTO, CudaOptions.WARPGROUPS, false, false, false, false));
        var failure = assertThrows(DeviceException.class, () -> backend.open(0, new Books()));
        assertTrue(
                failure.getMessage().contains("which is neither on the loader's path nor in /nowhere"),
                failure::getMessage);
    }

    /** Cubins of this build's sources, one of which is loadable. */
    private static Cubins cubins(StubCuda stub) throws IOException {
        var files = new HashMap<String, byte[]>();
        var list = new StringBuilder("options --gpu-architecture=sm_90a --std=c++17\nnvcc 13.0.88\n");
        try (var sources = Files.list(Path.of("src/main/cuda/sm90"))) {
            for (Path source : sources.toList()) {
                String name = source.getFileName().toString();
                list.append(CubinsTest.sha256(Files.readString(source)))
                        .append("  ")
                        .append(name)
                        .append('\n');
                files.put(name.replace(".cu", ".cubin"), new byte[1]);
            }
        }
        var compiler = new KernelCompiler(
                Nvrtc.open(Nvrtc.candidates(stub.toolkit(), 13000)).orElseThrow(), 13000, stub.kernels());
        files.put("elementwise.cubin", compiler.cubin(KernelSource.of("elementwise")));
        files.put("made-of.txt", list.toString().getBytes(StandardCharsets.UTF_8));
        return new Cubins(name -> Optional.ofNullable(files.get(name)));
    }

    @Test
    void needsNoCompilerForPrecompiledKernels() throws IOException {
        assumeTrue(Nvrtc.open(Nvrtc.candidates("/nowhere", 13000)).isEmpty(), "this machine's loader knows a libnvrtc");
        StubCuda stub = StubCuda.orSkip();
        var withCubins =
                new CudaBackendFactory(new Installation(StubCuda.DRIVER, Path.of("target"), cubins(stub)), null);
        var options = new CudaOptions(
                "/nowhere", "", -1, CudaOptions.OWN, CudaOptions.WARPGROUPS, false, false, false, false);
        try (var bench = Bench.open(withCubins.create(options))) {
            var x = bench.tensor(DType.FP32, i -> 77, 3);
            bench.device().kernels().elementwise().fill(bench.queue(), x, 5);
            assertArrayEquals(new double[] {5, 5, 5}, bench.read(x));
            assertTrue(((CudaDevice) bench.device())
                    .libraries()
                    .endsWith(", kernels compiled beforehand by nvcc 13.0.88"));
            var gateUp = bench.tensor(DType.BF16, i -> 0, 1, 4);
            var y = bench.tensor(DType.BF16, i -> 0, 1, 2);
            var failure = assertThrows(
                    DeviceException.class,
                    () -> bench.device().kernels().gatedMlp().forward(bench.queue(), gateUp, y));
            assertTrue(
                    failure.getMessage()
                            .matches(
                                    "the driver does not load what nvcc 13.0.88 made of gated_mlp.cu .* install libnvrtc, .*"),
                    failure::getMessage);
        }
        assertEquals(
                new Finding(State.GOOD, "CUDA kernels", "compiled beforehand by nvcc 13.0.88: libnvrtc is not needed"),
                withCubins.look().getFirst());
    }
}
