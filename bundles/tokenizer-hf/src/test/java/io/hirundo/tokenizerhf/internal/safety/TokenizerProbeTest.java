package io.hirundo.tokenizerhf.internal.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TokenizerProbeTest {
    @TempDir
    private Path folder;

    private final CtrlC ctrlC = new CtrlC();

    @BeforeEach
    void temporary() throws IOException {
        System.setProperty(
                "hirundo.temporary",
                Files.createDirectory(folder.resolve("temporary")).toString());
    }

    @AfterEach
    void clear() {
        System.clearProperty("hirundo.temporary");
    }

    /** To load a library from a named pipe waits for its other end: a trial that never ends. */
    private TokenizerProbe endless() throws Exception {
        Path pipe = folder.resolve("library");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        return new TokenizerProbe(_ -> pipe, null, ctrlC);
    }

    private static VocabularyScan scan() {
        var none = new VocabularyScan.Sections(new ObjectMapper().createObjectNode(), Map.of(), -1, -1);
        return new VocabularyScan(2, none, null);
    }

    private static HirundoException rejection(TokenizerProbe probe) {
        byte[] json = "{}".getBytes(StandardCharsets.UTF_8);
        return assertThrows(HirundoException.class, () -> probe.require(json, scan(), "t/tokenizer.json"));
    }

    @Test
    void endsWhenTheUserInterruptsItAndLeavesNothing() throws Exception {
        TokenizerProbe probe = endless();
        Thread user = Thread.ofPlatform().start(this::pressWhileItRuns);
        HirundoException failure = rejection(probe);
        user.join();
        assertEquals(ExitCode.INTERRUPTED, failure.exitCode(), failure.getMessage());
        // Far less than the 5 minutes that a trial may take.
        assertTrue(System.nanoTime() - pressedNanos < Duration.ofMinutes(1).toNanos(), "long after the interrupt");
        assertEquals(0, folder.resolve("temporary").toFile().list().length);
        assertEquals(0, ctrlC.listeners());
    }

    private volatile long pressedNanos;

    private void pressWhileItRuns() {
        while (ctrlC.listeners() == 0) {
            Thread.onSpinWait();
        }
        pressedNanos = System.nanoTime();
        ctrlC.press();
    }

    @Test
    void doesNotStartAfterAnInterruption() throws Exception {
        ctrlC.press();
        assertEquals(ExitCode.INTERRUPTED, rejection(endless()).exitCode());
    }

    /** The kernel closes the pipe when this process is killed. */
    @Test
    void processEndsWithItsParent() throws Exception {
        Path pipe = folder.resolve("library");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "--enable-native-access=ALL-UNNAMED",
                        ProbeMain.class.getName(),
                        pipe.toString(),
                        "2",
                        "2",
                        "0")
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write("{}".getBytes(StandardCharsets.UTF_8));
            in.flush();
            assertFalse(process.waitFor(500, TimeUnit.MILLISECONDS), "it loads a library forever");
        }
        assertEquals(ProbeMain.ORPHAN, process.waitFor());
    }

    @Test
    void processHasLimitsOfTheKernel() throws Exception {
        ProbeLimits limits = ProbeLimits.of(2_000_000);
        Process process = new ProcessBuilder(
                        limits.applied(List.of("/bin/sh", "-c", "ulimit -d; ulimit -St; ulimit -Ht")))
                .start();
        assertEquals("1212416\n66\n71\n", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void processOverItsProcessorTimeIsRejected() throws Exception {
        var limits = new ProbeLimits(1024, 1, 256);
        Process process = new ProcessBuilder(limits.applied(List.of("/bin/sh", "-c", "while :; do :; done"))).start();
        assertEquals("more than 1 seconds", limits.exceeded(process.waitFor(), ""));
    }
}
