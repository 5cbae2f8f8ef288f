package io.hirundo.gemmonednn.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.files.CachedResource;
import io.hirundo.lib.files.TemporaryFolders;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/** The native libraries in this bundle, unpacked into the cache once and opened for the life of the process. */
class NativeFiles {
    private static final String FOLDER = "/org/bytedeco/dnnl/";
    private static final String OPENMP = "libgomp.so.1";
    private static final String ONEDNN = "libdnnl.so.3";

    private final Path cache;

    /** The opened libraries. */
    record Opened(SymbolLookup oneDnn, SymbolLookup openMp) {}

    /** @param cache folder that caches unpacked libraries; null to unpack them for this process alone */
    NativeFiles(Path cache) {
        this.cache = cache;
    }

    /**
     * Opens the libraries. They stay open: devices use them for as long as they live.
     *
     * @throws ConfigurationException if there are none for this machine, or they cannot be opened
     * @throws StorageException if they cannot be unpacked
     */
    Opened load() {
        if (resource(ONEDNN) == null) {
            throw new ConfigurationException(
                    "there is no oneDNN for " + platform() + " in this bundle, only for linux-x86_64");
        }
        if (cache != null) {
            return open(unpacked(folder(cache)));
        }
        Path folder = temporaryFolder();
        try {
            return open(unpacked(folder));
        } finally {
            // An open library survives deletion.
            delete(folder);
        }
    }

    /** Where a cache folder has the libraries of this bundle for this machine. */
    static Path folder(Path cache) {
        return cache.resolve("native").resolve("onednn-" + version() + "-" + platform());
    }

    /** Version of the libraries in this bundle, so that a cache never serves another. */
    private static String version() {
        try (InputStream in = NativeFiles.class.getResourceAsStream(FOLDER + "version")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new StorageException("cannot read the bundle gemm-onednn: " + Reason.of(e) + ": install it again", e);
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).replaceAll("\\W.*", "");
        String arch = System.getProperty("os.arch");
        return os + "-" + (arch.equals("amd64") ? "x86_64" : arch);
    }

    /** Null if this bundle has none for this machine. */
    static URL resource(String library) {
        return NativeFiles.class.getResource(FOLDER + platform() + "/" + library);
    }

    private static Path unpacked(Path folder) {
        try {
            for (String name : List.of(OPENMP, ONEDNN)) {
                CachedResource.unpack(folder.resolve(name), resource(name));
            }
            return folder;
        } catch (IOException e) {
            throw new StorageException(
                    "cannot unpack oneDNN to " + folder + ": " + Reason.of(e)
                            + ": make room or fix permissions there, or set HIRUNDO_CACHE to another folder",
                    e);
        }
    }

    /** OpenMP first, so that oneDNN finds this one and not another of the system. */
    @SuppressWarnings("restricted")
    private static Opened open(Path folder) {
        try {
            SymbolLookup openMp = SymbolLookup.libraryLookup(folder.resolve(OPENMP), Arena.global());
            return new Opened(SymbolLookup.libraryLookup(folder.resolve(ONEDNN), Arena.global()), openMp);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(
                    "oneDNN cannot be opened (" + Reason.of(e) + "): install libstdc++ 6, delete " + folder
                            + " if it is damaged, or set HIRUNDO_CACHE to a folder where programs may be run",
                    e);
        }
    }

    private static Path temporaryFolder() {
        try {
            return TemporaryFolders.create("onednn-");
        } catch (IOException e) {
            throw new StorageException(
                    "cannot unpack oneDNN: " + Reason.of(e)
                            + ": make room in the folder for temporary files, or set TMPDIR to another",
                    e);
        }
    }

    private static void delete(Path folder) {
        try {
            TemporaryFolders.delete(folder);
        } catch (IOException e) {
            LoggerFactory.getLogger(NativeFiles.class)
                    .warn("the temporary folder {} cannot be deleted: {}", folder, Reason.of(e));
        }
    }
}
