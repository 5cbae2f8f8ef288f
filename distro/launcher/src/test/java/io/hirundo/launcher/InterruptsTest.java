package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Signals, sent to a process of its own. */
class InterruptsTest {
  @Test
  void theFirstSignalLetsTheCommandEnd() throws Exception {
    try (Sent process = Sent.to(Obedient.class)) {
      process.terminate();
      assertEquals("asked, saved", process.nextLine());
      assertEquals(Interrupts.EXIT_CODE, process.exitCode());
    }
  }

  @Test
  void theSecondEndsTheProcess() throws Exception {
    try (Sent process = Sent.to(Deaf.class)) {
      process.terminate();
      assertEquals("asked", process.nextLine());
      process.terminate();
      assertEquals(Interrupts.EXIT_CODE, process.exitCode());
    }
  }

  /** Ends when it is asked to. */
  static final class Obedient {
    private Obedient() {}

    public static void main(String[] args) throws InterruptedException {
      CountDownLatch asked = new CountDownLatch(1);
      Interrupts interrupts = Interrupts.listen(asked::countDown);
      System.out.println("ready");
      asked.await();
      System.out.println("asked, saved");
      System.exit(interrupts.any() ? Interrupts.EXIT_CODE : 1);
    }
  }

  /** Hears that it should end, and goes on. */
  static final class Deaf {
    private Deaf() {}

    public static void main(String[] args) throws InterruptedException {
      Interrupts.listen(() -> System.out.println("asked"));
      System.out.println("ready");
      new CountDownLatch(1).await();
    }
  }

  private record Sent(Process process, BufferedReader out) implements AutoCloseable {
    static Sent to(Class<?> main) throws IOException {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      Process process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), main.getName())
          .redirectError(ProcessBuilder.Redirect.DISCARD).start();
      Sent sent = new Sent(process, process.inputReader());
      assertEquals("ready", sent.nextLine());
      return sent;
    }

    /** SIGTERM; by the handle, which unlike the process leaves its output open. */
    void terminate() {
      process.toHandle().destroy();
    }

    String nextLine() throws IOException {
      return out.readLine();
    }

    int exitCode() throws InterruptedException {
      assertTrue(process.waitFor(30, TimeUnit.SECONDS));
      return process.exitValue();
    }

    @Override
    public void close() throws IOException {
      process.destroyForcibly();
      out.close();
    }
  }
}
