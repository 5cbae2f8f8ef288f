package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing is asked of or told to the network: a process whose first socket would be its end loads a tokenizer, encodes,
 * decodes and saves.
 */
class NoSocketTest {
    private static final int KILLED_BY_SIGSYS = 128 + 31;
    private static final int NO_GUARD = 42;

    @TempDir
    private Path folder;

    /** The process that is watched. */
    static final class Watched {
        private Watched() {}

        /** Arguments: what to do, and a folder with a tokenizer. */
        public static void main(String[] args) throws Throwable {
            // The JDK opens and closes a socket to see whether there is IPv6 when its network library is loaded, which
            // its file
            // channels do too.
            InetAddress.getLoopbackAddress();
            try {
                SocketGuard.install();
            } catch (UnsupportedOperationException e) {
                System.exit(NO_GUARD);
            }
            switch (args[0]) {
                case "connect" -> connect();
                case "tokenize" -> tokenize(Path.of(args[1]));
                default -> throw new IllegalArgumentException(args[0]);
            }
        }

        private static void connect() {
            // Like telemetry, that hides its failures.
            try (var socket = new Socket("127.0.0.1", 9)) {
                System.out.println(socket);
            } catch (IOException e) {
                System.out.println(e);
            }
        }

        private static void tokenize(Path folder) throws IOException {
            var before = new HashMap<>(System.getProperties());
            var factory = new HuggingFaceFactory(new NativeLibrary(folder.resolve("cache")), new CtrlC());
            try (Tokenizer tokenizer = factory.create(new HuggingFaceOptions(folder.toString()))) {
                String text = Texts.prose(3, 5000);
                if (!tokenizer.decode(tokenizer.encode(text)).equals(text)
                        || tokenizer.endOfText().isEmpty()) {
                    throw new IllegalStateException("the tokenizer does not work");
                }
                tokenizer.save(folder.resolve("saved"));
            }
            var changed = new HashMap<>(System.getProperties());
            changed.entrySet().removeAll(before.entrySet());
            changed.remove("user.timezone"); // the JDK's own note
            if (!changed.isEmpty()) {
                throw new IllegalStateException("system properties were changed: " + changed);
            }
            if (Files.exists(Path.of(System.getProperty("user.home")).resolve(".djl.ai"))) {
                throw new IllegalStateException("something was written to the home folder");
            }
            System.out.println("done");
        }
    }

    private record Ending(int code, String output) {}

    private Ending watch(String task) throws IOException, InterruptedException {
        Path output = folder.resolve(task + ".txt");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Duser.home=" + folder,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Watched.class.getName(),
                        task,
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Ending(process.waitFor(), Files.readString(output, StandardCharsets.UTF_8));
    }

    private Ending watchIfGuarded(String task) throws IOException, InterruptedException {
        Ending ending = watch(task);
        assumeTrue(ending.code() != NO_GUARD, "this machine has no seccomp filters");
        return ending;
    }

    @Test
    void detectsASocket() throws Exception {
        assertEquals(KILLED_BY_SIGSYS, watchIfGuarded("connect").code());
    }

    @Test
    void opensNoSocket() throws Exception {
        Trained.tokenizer(folder, Texts.prose(1, 1000), 400);
        assertEquals(new Ending(0, "done\n"), watchIfGuarded("tokenize"));
        assertTrue(Files.exists(folder.resolve("saved").resolve("tokenizer.json")));
        try (var natives = Files.walk(folder.resolve("cache").resolve("native"))) {
            assertEquals(
                    List.of(System.mapLibraryName("tokenizers")),
                    natives.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString())
                            .toList());
        }
    }
}
