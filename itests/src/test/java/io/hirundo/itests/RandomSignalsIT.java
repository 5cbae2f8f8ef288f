package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Signals at random moments of a short training, from before its JVM has begun until after its end: each time a documented
 * exit code, and whole files. The system property {@code hirundo.signals} says how many, {@code hirundo.seed} which.
 */
class RandomSignalsIT {
  private static final int SIGNALS = Integer.getInteger("hirundo.signals", 12);
  private static final long SEED = Long.getLong("hirundo.seed", 18);
  private static final int AT_A_TIME = 3;
  private static final int STEPS = 20;

  /** Of JVMs that have not come to {@code main} yet: SIGHUP and SIGTERM, as every program without a handler ends. */
  private static final Set<Integer> BEFORE_MAIN = Set.of(129, 143);

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  /** What is sent when; {@code again}: time until the same is sent once more, or null. */
  private record Plan(int number, String signal, Duration at, Duration again) {}

  /** Where the training was when the first signal came, and how it ended. */
  private record Ended(Plan plan, String moment, Program.Result result) {
    /** A second SIGHUP changes nothing, another second signal ends the process at once. */
    boolean cleanly() {
      return plan.again == null || plan.signal.equals("HUP");
    }
  }

  @Test
  void eachSignalEndsATrainingWithADocumentedCodeAndWholeFiles() throws Exception {
    Duration calm = calmDuration();
    List<Ended> all = new ArrayList<>();
    try (var executor = Executors.newFixedThreadPool(AT_A_TIME)) {
      List<Future<Ended>> running = plans(calm).stream().map(plan -> executor.submit(() -> run(plan))).toList();
      for (Future<Ended> each : running) {
        all.add(each.get());
      }
    }
    print(all);
    for (Ended ended : all) {
      assertDocumented(ended);
    }
    assertCheckpointsAreWhole(all);
  }

  /** How long it takes undisturbed, as many at a time as later. */
  private Duration calmDuration() throws Exception {
    long begin = System.nanoTime();
    List<Program.Running> undisturbed = new ArrayList<>();
    for (int number = 0; number < AT_A_TIME; number++) {
      undisturbed.add(start("calm-" + number));
    }
    for (Program.Running each : undisturbed) {
      Program.Result result = each.await();
      assertEquals(0, result.exitCode(), result::toString);
    }
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Spread over the whole time and a little more. */
  private static List<Plan> plans(Duration calm) {
    Random random = new Random(SEED);
    List<Plan> plans = new ArrayList<>();
    for (int number = 0; number < SIGNALS; number++) {
      double part = (number + random.nextDouble()) / SIGNALS * 1.05;
      Duration again = random.nextInt(4) == 0 ? Duration.ofMillis(random.nextInt(300)) : null;
      plans.add(new Plan(number, List.of("TERM", "INT", "HUP").get(random.nextInt(3)), Duration.ofNanos((long) (calm.toNanos() * part)), again));
    }
    return plans;
  }

  private Ended run(Plan plan) throws Exception {
    Program.Running training = start("run-" + plan.number);
    // On a machine that is less busy than it was, it has ended before.
    training.process().waitFor(plan.at.toNanos(), TimeUnit.NANOSECONDS);
    String moment = moment(plan, training);
    training.signal(plan.signal);
    if (plan.again != null) {
      Thread.sleep(plan.again);
      training.signal(plan.signal);
    }
    return new Ended(plan, moment, training.await());
  }

  private String moment(Plan plan, Program.Running training) throws IOException {
    if (!training.process().isAlive()) {
      return "5 after the end";
    }
    if (list(temporary(plan)).isEmpty()) {
      // At the end it is removed last.
      return Files.readString(training.out()).contains("done, ") ? "4 end" : "1 JVM";
    }
    if (Files.readString(training.out()).contains("done, ")) {
      return "4 end";
    }
    return Metrics.of(directory(plan)).lastStep() == 0 ? "2 start" : "3 run";
  }

  private void assertDocumented(Ended ended) throws IOException {
    Plan plan = ended.plan;
    Program.Result result = ended.result;
    assertFalse(result.err().contains("\tat ") || result.err().contains("Exception"), ended::toString);
    if (BEFORE_MAIN.contains(result.exitCode())) {
      assertFalse(Files.exists(directory(plan)), () -> "had begun: " + ended);
      return;
    }
    assertTrue(result.exitCode() == 130 || result.exitCode() == 0, ended::toString);
    if (ended.cleanly()) {
      assertEquals(List.of(), list(temporary(plan)), ended::toString);
      assertFalse(Files.exists(directory(plan).resolve("control.sock")), ended::toString);
      assertLinesAreWhole(directory(plan).resolve("metrics.jsonl"));
    }
    if (result.exitCode() == 0) {
      assertEquals(STEPS, Metrics.of(directory(plan)).lastStep(), ended::toString);
    }
  }

  private static void assertLinesAreWhole(Path metrics) throws IOException {
    if (Files.exists(metrics) && Files.size(metrics) > 0) {
      assertTrue(Files.readString(metrics).endsWith("\n"), metrics::toString);
      for (String line : Files.readAllLines(metrics)) {
        JSON.readTree(line);
      }
    }
  }

  /** Those of all trainings, checked by one process, each as another revision of its step. */
  private void assertCheckpointsAreWhole(List<Ended> all) throws Exception {
    Path together = Files.createDirectories(folder.resolve("together").resolve("checkpoints"));
    List<Path> every = new ArrayList<>();
    for (Ended ended : all) {
      Path checkpoints = directory(ended.plan).resolve("checkpoints");
      if (Files.exists(checkpoints.resolve("latest"))) {
        String latest = Files.readString(checkpoints.resolve("latest")).strip();
        assertTrue(Files.isDirectory(checkpoints.resolve(latest)), () -> "the latest is not there: " + ended);
      }
      if (Files.exists(checkpoints)) {
        list(checkpoints).stream().filter(path -> path.getFileName().toString().startsWith("step-")).forEach(every::add);
      }
    }
    assertFalse(every.isEmpty());
    for (int number = 0; number < every.size(); number++) {
      String step = every.get(number).getFileName().toString().replaceFirst("[.]r\\d+$", "");
      Files.move(every.get(number), together.resolve(step + ".r" + (number + 1)));
    }
    Program.Result verified = Program.installed(folder).run("checkpoint", "verify", "together");
    assertEquals(0, verified.exitCode(), verified::toString);
    assertEquals(every.size(), verified.out().lines().filter(line -> line.contains(" good, ")).count(), verified::toString);
  }

  private static void print(List<Ended> all) {
    Map<String, Map<String, Integer>> codes = new TreeMap<>();
    for (Ended ended : all) {
      String signals = ended.plan.again == null ? ended.plan.signal : ended.plan.signal + " twice";
      codes.computeIfAbsent(ended.moment, _ -> new TreeMap<>()).merge(signals + " -> " + ended.result.exitCode(), 1, Integer::sum);
    }
    System.out.println(SIGNALS + " signals, seed " + SEED);
    codes.forEach((moment, counts) -> System.out.println("  " + moment.substring(2) + ": " + counts));
  }

  private Program.Running start(String name) throws IOException {
    Path synthetic = Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();
    Files.createDirectory(folder.resolve("tmp-" + name));
    List<String> arguments = new ArrayList<>(List.of("train", synthetic.toString()));
    Stream.of("run.name=" + name, "training.steps=" + STEPS, "checkpoint.strategy=dcp-async", "checkpoint.everySteps=5", "checkpoint.atEnd=true")
        .forEach(assignment -> arguments.addAll(List.of("--set", assignment)));
    return Program.installed(folder)
        .start(Map.of("TMPDIR", folder.resolve("tmp-" + name).toString()), arguments.toArray(String[]::new));
  }

  private Path temporary(Plan plan) {
    return folder.resolve("tmp-run-" + plan.number);
  }

  private Path directory(Plan plan) {
    return folder.resolve("runs").resolve("run-" + plan.number);
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
