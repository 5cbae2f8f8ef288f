package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals, sent to a process of its own. */
class InterruptsTest {
    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void firstSignalAsksTheCommandToEnd(String signal) throws Exception {
        try (JavaProcess process = started(List.of(), Obedient.class)) {
            process.signal(signal);
            assertEquals("asked, saved", process.nextLine());
            assertEquals(Interrupts.EXIT_CODE, process.exitCode());
        }
    }

    @Test
    void secondSignalEndsTheProcess() throws Exception {
        try (JavaProcess process = started(List.of(), Deaf.class)) {
            process.signal("TERM");
            assertEquals("asked", process.nextLine());
            process.signal("INT");
            assertEquals(Interrupts.EXIT_CODE, process.exitCode());
        }
    }

    /** A shell sends SIGHUP to its jobs when its terminal goes, then the kernel does; systemd sends SIGTERM with it. */
    @Test
    void endOfASessionIsOneRequest() throws Exception {
        try (JavaProcess process = started(List.of(), Slow.class)) {
            process.signal("HUP");
            assertEquals("asked", process.nextLine());
            process.signal("HUP");
            process.signal("TERM");
            process.signal("HUP");
            assertEquals("saved", process.ask());
            assertEquals(Interrupts.EXIT_CODE, process.exitCode());
        }
    }

    @Test
    void hangUpThatIsIgnoredAtTheStartStaysIgnored() throws Exception {
        try (JavaProcess process = started(List.of("nohup"), Obedient.class)) {
            process.signal("HUP");
            process.signal("HUP");
            assertEquals("still here", process.ask());
            process.signal("TERM");
            assertEquals("asked, saved", process.nextLine());
        }
    }

    @Test
    void commandDoesNotBeginAfterASignal() throws Exception {
        try (JavaProcess process = started(List.of(), Starting.class)) {
            process.signal("HUP");
            assertEquals("must not run", process.nextLine());
            assertEquals(Interrupts.EXIT_CODE, process.exitCode());
        }
    }

    @Test
    void firstSignalAfterTheCommandLeavesItsResult() throws Exception {
        try (JavaProcess process = started(List.of(), Ending.class)) {
            process.signal("TERM");
            assertEquals("still here", process.ask());
            assertEquals(7, process.exitCode());
        }
    }

    private static JavaProcess started(List<String> starter, Class<?> main) throws IOException {
        JavaProcess process = JavaProcess.start(starter, List.of(), main);
        assertEquals("ready", process.nextLine());
        return process;
    }

    /** Answers a line of standard input, so that what came before it has been handled. */
    private static void answer() {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (System.in.read() >= 0) {
                    System.out.println("still here");
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    /** Ends when it is asked to. */
    static final class Obedient {
        private Obedient() {}

        public static void main(String[] args) throws InterruptedException {
            CountDownLatch asked = new CountDownLatch(1);
            Interrupts interrupts = Interrupts.listen();
            interrupts.commandRuns(asked::countDown);
            answer();
            System.out.println("ready");
            asked.await();
            System.out.println("asked, saved");
            System.exit(interrupts.any() ? Interrupts.EXIT_CODE : 1);
        }
    }

    /** Hears that it should end, and continues. */
    static final class Deaf {
        private Deaf() {}

        public static void main(String[] args) throws InterruptedException {
            Interrupts.listen().commandRuns(() -> System.out.println("asked"));
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }

    /** Has saved when it is told so. */
    static final class Slow {
        private Slow() {}

        public static void main(String[] args) throws InterruptedException, IOException {
            CountDownLatch asked = new CountDownLatch(1);
            Interrupts interrupts = Interrupts.listen();
            interrupts.commandRuns(() -> {
                System.out.println("asked");
                asked.countDown();
            });
            System.out.println("ready");
            asked.await();
            System.in.read();
            System.out.println("saved");
            System.exit(interrupts.hungUp() ? Interrupts.EXIT_CODE : 1);
        }
    }

    /** Runs no command yet. */
    static final class Starting {
        private Starting() {}

        public static void main(String[] args) throws InterruptedException {
            Interrupts interrupts = Interrupts.listen();
            System.out.println("ready");
            while (!interrupts.any()) {
                Thread.sleep(1);
            }
            boolean runs = interrupts.commandRuns(() -> System.out.println("asked"));
            System.out.println(runs ? "runs" : "must not run");
            System.exit(Interrupts.EXIT_CODE);
        }
    }

    /** Its command has ended, and it closes. */
    static final class Ending {
        private Ending() {}

        public static void main(String[] args) throws IOException {
            Interrupts interrupts = Interrupts.listen();
            interrupts.commandRuns(() -> System.out.println("asked"));
            interrupts.commandHasEnded();
            System.out.println("ready");
            System.in.read();
            System.out.println("still here");
            System.exit(7);
        }
    }
}
