package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Precompiled machine code is used only for the same sources and options. */
public class CubinsTest {
    private static final String TEXT = "#include \"common.cuh\"\nKERNEL(32, tiny, int *x) { *x = ANSWER; }";
    private static final String HEADER = "#define ANSWER 42";
    private static final KernelSource SOURCE = source(TEXT, HEADER);
    private static final String OPTIONS = "--gpu-architecture=sm_90a --std=c++17";

    @TempDir
    Path folder;

    public static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static KernelSource source(String text, String header) {
        return new KernelSource("tiny", text, new TreeMap<>(Map.of("common.cuh", header)));
    }

    private static Cubins cubins(String options, byte[] cubin) {
        String list =
                sha256(HEADER) + "  common.cuh\n" + sha256(TEXT) + "  tiny.cu\noptions " + options + "\nnvcc 13.0.88\n";
        var files = Map.of("made-of.txt", list.getBytes(StandardCharsets.UTF_8), "tiny.cubin", cubin);
        return new Cubins(name -> Optional.ofNullable(files.get(name)));
    }

    private KernelCompiler compiler(StubCuda stub) {
        return new KernelCompiler(
                Nvrtc.open(Nvrtc.candidates(stub.toolkit(), 13000)).orElseThrow(), 13000, folder);
    }

    @Test
    void matchesSourcesAndOptions() {
        Cubins cubins = cubins(OPTIONS, new byte[] {1, 2});
        assertEquals(2, cubins.of(SOURCE).orElseThrow().length);
        assertEquals("nvcc 13.0.88", cubins.compiler());
        assertTrue(cubins.of(source(TEXT + " ", HEADER)).isEmpty(), "another text");
        assertTrue(cubins.of(source(TEXT, "#define ANSWER 43")).isEmpty(), "another header");
        assertTrue(
                cubins.of(new KernelSource("tiny", TEXT, new TreeMap<>(Map.of("other.cuh", HEADER))))
                        .isEmpty(),
                "an unknown header");
        assertTrue(
                cubins("--gpu-architecture=sm_100a --std=c++17", new byte[] {1, 2})
                        .of(SOURCE)
                        .isEmpty(),
                "other options");
    }

    @Test
    void ignoresCubinsNewerThanTheDriver() {
        Cubins cubins = cubins(OPTIONS, new byte[] {1, 2});
        assertTrue(cubins.loadableBy(12_090).isEmpty()
                && !cubins.loadableBy(12_090).isComplete());
        assertTrue(cubins.loadableBy(13_000).of(SOURCE).isPresent()
                && cubins.loadableBy(14_000).of(SOURCE).isPresent());
        assertTrue(Cubins.none().loadableBy(13_000).isEmpty());
    }

    @Test
    void buildContainsNoCubins() {
        assertTrue(Cubins.ofBundle().isEmpty() && !Cubins.ofBundle().isComplete());
    }

    @Test
    void prefersCubinsOverNvrtc() {
        StubCuda stub = StubCuda.orSkip();
        byte[] cubin = compiler(stub).cubin(SOURCE);
        var code = new MachineCode(cubins(OPTIONS, cubin), Optional.of(compiler(stub)));
        var context = new Context(0);
        int before = stub.compilations();
        try (context;
                var module = code.load(context, SOURCE)) {
            assertTrue(module.function("tiny").address() != 0);
            assertEquals(before, stub.compilations());
            // There is no cubin of another text.
            code.load(context, source(TEXT, "#define ANSWER 43")).close();
            assertEquals(before + 1, stub.compilations());
        }
    }

    /** For example, if the driver is older than nvcc. */
    @Test
    void compilesWhatTheDriverDoesNotLoad() {
        StubCuda stub = StubCuda.orSkip();
        Cubins cubins = cubins(OPTIONS, "no machine code".getBytes(StandardCharsets.UTF_8));
        try (var context = new Context(0)) {
            int before = stub.compilations();
            new MachineCode(cubins, Optional.of(compiler(stub)))
                    .load(context, SOURCE)
                    .close();
            assertEquals(before + 1, stub.compilations());
            var alone = new MachineCode(cubins, Optional.empty());
            var failure = assertThrows(DeviceException.class, () -> alone.load(context, SOURCE));
            assertTrue(
                    failure.getMessage()
                            .startsWith("the driver does not load what nvcc 13.0.88 made of tiny.cu (CUDA: "),
                    failure::getMessage);
            assertTrue(
                    failure.getMessage().contains("no libnvrtc to compile it: install libnvrtc"), failure::getMessage);
        }
    }
}
