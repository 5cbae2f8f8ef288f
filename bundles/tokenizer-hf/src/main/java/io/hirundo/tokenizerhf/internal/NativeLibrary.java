package io.hirundo.tokenizerhf.internal;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.command.Interruption;
import io.hirundo.lib.files.CachedResource;
import io.hirundo.lib.files.TemporaryFolders;
import io.hirundo.tokenizerhf.internal.safety.TokenizerTrial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import org.osgi.framework.BundleContext;
import org.slf4j.LoggerFactory;

/**
 * The native library of the Hugging Face tokenizers, unpacked from this bundle and loaded at the first use.
 *
 * <p>Replaces DJL's own loader, which uses the context class loader (the wrong one in OSGi), probes for a GPU, sends telemetry and may
 * download. Everything here comes from this class's own loader. Thread-safe.
 */
final class NativeLibrary {
    private static final String FOLDER = "/native/lib/";
    /** Framework or system property, set by the launcher: the cache folder for native libraries. */
    private static final String CACHE = "hirundo.cache";

    private final Path cache;
    private boolean loaded;

    /** @param cache folder that caches the unpacked library; null to unpack it for this process alone */
    NativeLibrary(Path cache) {
        this.cache = cache;
    }

    /** With the cache folder of the framework property, if set. */
    static NativeLibrary of(BundleContext context) {
        String cache = context.getProperty(CACHE);
        return new NativeLibrary(cache == null || cache.isBlank() ? null : Path.of(cache));
    }

    /**
     * The loaded binding.
     *
     * @throws ConfigurationException if there is no library for this machine or it cannot be loaded
     * @throws StorageException if it cannot be unpacked
     */
    synchronized TokenizersLibrary get() {
        if (!loaded) {
            load();
            loaded = true;
        }
        return TokenizersLibrary.LIB;
    }

    /** As in {@code 0.21.0-0.38.0 for linux-x86_64}: the version of the library and that of the binding, and the machine. */
    String describe() {
        return version() + " for " + platform();
    }

    /** Checks files in a child process with this library, until the user interrupts it. */
    TokenizerTrial trial(Interruption interruption) {
        return new TokenizerTrial(
                this::unpacked,
                cache == null ? null : cache.resolve("tokenizers").resolve(version()),
                interruption);
    }

    /** The library's file in the cache, or in {@code scratch} without a cache. */
    private Path unpacked(Path scratch) {
        Path file = cache == null ? scratch.resolve(name()) : cached();
        unpackOnce(resource(), file);
        return file;
    }

    private Path cached() {
        return cache.resolve("native")
                .resolve("tokenizers-" + version() + "-" + platform())
                .resolve(name());
    }

    private static String name() {
        return System.mapLibraryName("tokenizers");
    }

    private static String resource() {
        String resource = FOLDER + platform() + "/cpu/" + name();
        if (TokenizersLibrary.class.getResource(resource) == null) {
            throw new ConfigurationException("the Hugging Face tokenizers have no native library for " + platform()
                    + ": run on linux-x86_64, linux-aarch64 or osx-aarch64");
        }
        return resource;
    }

    private void load() {
        String resource = resource();
        if (cache == null) {
            loadPrivately(resource, name());
            return;
        }
        Path file = cached();
        unpackOnce(resource, file);
        try {
            load(file);
        } catch (UnsatisfiedLinkError e) {
            // The JVM loads a file for one class loader only: after an update of this bundle, or for another framework
            // in this
            // JVM, use another file.
            if (e.getMessage() == null || !e.getMessage().contains("already loaded in another")) {
                throw unloadable(file, e);
            }
            loadPrivately(resource, name());
        }
    }

    private static String platform() {
        return platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static String platform(String osName, String osArch) {
        String os = osName.startsWith("Mac")
                ? "osx"
                : osName.toLowerCase(Locale.ROOT).replaceAll("\\W.*", "");
        return os + "-" + (osArch.equals("amd64") ? "x86_64" : osArch);
    }

    private static String version() {
        try (InputStream in = TokenizersLibrary.class.getResourceAsStream(FOLDER + "tokenizers.properties")) {
            var properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new StorageException("cannot read the tokenizers' bundle: " + Reason.of(e) + ": install it again", e);
        }
    }

    /** A folder that only this user can enter, so that nobody else can replace the library. */
    private static void loadPrivately(String resource, String name) {
        Path folder;
        try {
            folder = TemporaryFolders.create("tokenizers-");
        } catch (IOException e) {
            throw new StorageException(
                    "cannot unpack the tokenizers' native library: " + Reason.of(e)
                            + ": make room in the folder for temporary files, or set TMPDIR to another",
                    e);
        }
        Path file = folder.resolve(name);
        try {
            unpackOnce(resource, file);
            load(file);
        } catch (UnsatisfiedLinkError e) {
            throw unloadable(file, e);
        } finally {
            // A loaded library survives deletion on all supported systems.
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        try {
            TemporaryFolders.delete(folder);
        } catch (IOException e) {
            LoggerFactory.getLogger(NativeLibrary.class)
                    .warn("the temporary folder {} cannot be deleted: {}", folder, Reason.of(e));
        }
    }

    private static void unpackOnce(String resource, Path file) {
        try {
            CachedResource.unpack(file, TokenizersLibrary.class.getResource(resource));
        } catch (IOException e) {
            throw new StorageException(
                    "cannot unpack the tokenizers' native library to " + file + ": " + Reason.of(e)
                            + ": make room or fix permissions there, or set HIRUNDO_CACHE to another folder",
                    e);
        }
    }

    // Call from this class: the JVM binds the library to the caller's class loader.
    @SuppressWarnings("restricted")
    private static void load(Path file) {
        System.load(file.toAbsolutePath().toString());
    }

    private static ConfigurationException unloadable(Path file, UnsatisfiedLinkError cause) {
        return new ConfigurationException(
                "the tokenizers' native library " + file + " cannot be loaded (" + Reason.of(cause)
                        + "): delete the file if it is damaged, or set HIRUNDO_CACHE to a folder where programs may be run",
                cause);
    }
}
