package io.hirundo.devicecuda.internal.compile;

import io.hirundo.DeviceException;
import io.hirundo.Reason;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.files.Folders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compiles kernel files to machine code by NVRTC, with a cache folder. Cached files are named by the SHA-256 of the source, the options and
 * the versions of compiler and driver, so they are never outdated. They appear atomically, and several processes may share the folder.
 * Thread-safe.
 */
public final class KernelCompiler {
    /** Options of nvcc and NVRTC: Hopper with its architecture-specific instructions. */
    static final List<String> OPTIONS = List.of("--gpu-architecture=sm_90a", "--std=c++17");

    /** Without it NVRTC treats a generic lambda as host code and rejects it, unlike nvcc. */
    private static final String ALL_IS_OF_THE_DEVICE = "--device-as-default-execution-space";

    static final List<String> OF_NVRTC =
            Stream.concat(OPTIONS.stream(), Stream.of(ALL_IS_OF_THE_DEVICE)).toList();

    private static final Logger LOG = LoggerFactory.getLogger(KernelCompiler.class);

    private final Nvrtc nvrtc;
    private final int driverVersion;
    private final Path folder;

    public KernelCompiler(Nvrtc nvrtc, int driverVersion, Path folder) {
        this.nvrtc = nvrtc;
        this.driverVersion = driverVersion;
        this.folder = folder;
    }

    /** For example {@code NVRTC 13.0 (libnvrtc.so.13)}. */
    String version() {
        return "NVRTC " + nvrtc.version();
    }

    /**
     * @throws DeviceException if the source does not compile
     */
    public byte[] cubin(KernelSource source) {
        Path kept = folder.resolve(source.name() + "-" + key(source) + ".cubin");
        try {
            if (Files.isReadable(kept)) {
                return Files.readAllBytes(kept);
            }
        } catch (IOException unreadable) {
            LOG.warn("{} cannot be read and is compiled again: {}", kept, Reason.of(unreadable));
        }
        long begin = System.nanoTime();
        byte[] cubin = nvrtc.compile(source, OF_NVRTC);
        LOG.info("{}.cu compiled by NVRTC in {} ms", source.name(), (System.nanoTime() - begin) / 1_000_000);
        keep(kept, cubin);
        return cubin;
    }

    private void keep(Path kept, byte[] cubin) {
        try {
            Folders.createPrivate(folder);
            AtomicFile.writeShared(kept, out -> out.write(cubin));
        } catch (IOException full) {
            LOG.warn("compiled kernels are not kept in {}: {}", folder, Reason.of(full));
        }
    }

    private String key(KernelSource source) {
        String all = String.join(
                "\0",
                source.text(),
                source.headers().toString(),
                String.join(" ", OF_NVRTC),
                nvrtc.version(),
                "driver " + driverVersion);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
