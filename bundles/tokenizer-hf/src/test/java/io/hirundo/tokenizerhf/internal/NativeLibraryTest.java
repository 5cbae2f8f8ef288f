package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeLibraryTest {
    @TempDir
    private Path folder;

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(Files::isRegularFile).toList();
        }
    }

    /** Everything of ours once more in a class loader of its own, as after an update of the bundle. */
    private static URLClassLoader anotherLoader() throws IOException {
        var urls = new ArrayList<URL>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** Called in another class loader: encodes with the context class loader of a framework, which knows nothing of us. */
    static int encodeInTurn(String cache, String tokenizer) {
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        var library = new NativeLibrary(cache.isEmpty() ? null : Path.of(cache));
        try (Tokenizer open = new HuggingFaceFactory(library, new CtrlC()).create(new HuggingFaceOptions(tokenizer))) {
            return open.encode("swallow").length;
        }
    }

    private static int encodeInAnotherLoader(String cache, Path tokenizer) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (var loader = anotherLoader()) {
            Class<?> copy = loader.loadClass(NativeLibraryTest.class.getName());
            assertTrue(copy != NativeLibraryTest.class);
            Method method = copy.getDeclaredMethod("encodeInTurn", String.class, String.class);
            method.setAccessible(true);
            return (int) method.invoke(null, cache, tokenizer.toString());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void cachesTheLibraryForLaterProcesses() throws Exception {
        Path tokenizer = Trained.tokenizer(folder.resolve("t"), Texts.prose(1, 300), 300);
        Path cache = folder.resolve("cache");
        int tokens = encodeInAnotherLoader(cache.toString(), tokenizer);
        assertTrue(tokens > 0);
        // The cache also remembers which tokenizer files passed their parity check.
        List<Path> kept = files(cache.resolve("native"));
        assertEquals(1, kept.size(), kept::toString);
        var time = Files.getLastModifiedTime(kept.getFirst());
        // The JVM rejects the same file for a second class loader.
        assertEquals(tokens, encodeInAnotherLoader(cache.toString(), tokenizer));
        assertEquals(tokens, encodeInAnotherLoader(cache.toString(), tokenizer));
        assertEquals(kept, files(cache.resolve("native")));
        assertEquals(time, Files.getLastModifiedTime(kept.getFirst()));
    }

    @Test
    void leavesNoFilesWithoutACache() throws Exception {
        Path tokenizer = Trained.tokenizer(folder.resolve("t"), Texts.prose(1, 300), 300);
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        System.setProperty("hirundo.temporary", temporary.toString());
        try (WatchService watch = temporary.getFileSystem().newWatchService()) {
            temporary.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            assertTrue(encodeInAnotherLoader("", tokenizer) > 0);
            List<String> made = watch.poll(1, TimeUnit.MINUTES).pollEvents().stream()
                    .map(event -> prefix(event.context()))
                    .toList();
            assertEquals(List.of("tokenizer-probe", "tokenizers"), made);
            assertEquals(0, temporary.toFile().list().length);
        } finally {
            System.clearProperty("hirundo.temporary");
        }
    }

    private static String prefix(Object name) {
        return name.toString().replaceFirst("-\\d+$", "");
    }

    @Test
    void isLoadedOnce() {
        assertSame(TokenizersLibrary.LIB, TestTokenizers.LIBRARY.get());
        assertSame(TokenizersLibrary.LIB, TestTokenizers.LIBRARY.get());
    }

    @Test
    void namesAnUnwritableCache() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "x");
        var e = assertThrows(StorageException.class, new NativeLibrary(occupied)::get);
        assertTrue(
                e.getMessage().contains(occupied.toString()) && e.getMessage().contains("HIRUNDO_CACHE"),
                e.getMessage());
    }

    @Test
    void namesADamagedLibrary() throws IOException {
        TestTokenizers.LIBRARY.get();
        Path sound = files(TestTokenizers.CACHE.resolve("native")).getFirst();
        Path cache = folder.resolve("cache");
        Path damaged = cache.resolve(TestTokenizers.CACHE.relativize(sound));
        Files.createDirectories(damaged.getParent());
        // A file of another size would be replaced.
        Files.write(damaged, new byte[(int) Files.size(sound)]);
        var e = assertThrows(ConfigurationException.class, new NativeLibrary(cache)::get);
        assertTrue(e.getMessage().contains(damaged.toString()), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
    }

    @ParameterizedTest
    @CsvSource({
        "Linux,amd64,linux-x86_64",
        "Linux,aarch64,linux-aarch64",
        "Mac OS X,aarch64,osx-aarch64",
        "Windows 11,amd64,windows-x86_64"
    })
    void platformsHaveTheNamesOfTheirFolders(String os, String arch, String expected) {
        assertEquals(expected, NativeLibrary.platform(os, arch));
    }
}
