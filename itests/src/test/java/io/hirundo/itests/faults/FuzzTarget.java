package io.hirundo.itests.faults;

import com.sun.management.OperatingSystemMXBean;
import io.hirundo.itests.damage.JsonFaults;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What Jazzer calls with inputs that it makes up, guided by the branches that they reach: {@code tools/fuzz READER SECONDS}. An input
 * is a finding where a user could not work with what the program says of it, as {@link Verdict} has it, or where it says nothing in
 * time. System property {@code hirundo.fuzz}: the reader, one of {@link FuzzReaders} or {@link FuzzedMethods}; {@code hirundo.fuzz.corpus}: the
 * folder in which it finds what to begin with.
 */
public final class FuzzTarget {
    private static InProcess hirundo;
    private static Specimen reader;
    private static FuzzedMethods.Call method;
    private static Path folder;
    private static JsonFaults.Envelope envelope;
    private static byte[] good;

    /** Longer than the limit of the CPU time: on a busy machine a command is slow without being at fault. */
    private static final Duration WAITED = InProcess.LIMIT.multipliedBy(8);

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private FuzzTarget() {}

    /** Called once. */
    public static void fuzzerInitialize() throws Exception {
        folder = Files.createTempDirectory("hirundo-fuzz");
        hirundo = InProcess.start(Files.createDirectory(folder.resolve("process")));
        Path kept = Path.of("originals").toAbsolutePath();
        Originals originals = Originals.kept(kept, hirundo);
        String name = System.getProperty("hirundo.fuzz");
        Path corpus = Path.of(System.getProperty("hirundo.fuzz.corpus"));
        var methods = new FuzzedMethods(hirundo, originals);
        if (methods.calls().containsKey(name)) {
            method = methods.calls().get(name);
            reader = FuzzReaders.ofMethod(name);
            Files.write(corpus.resolve("good"), method.good());
            // The configurations of its commands are there, and the length of that path says nothing about an error
            // line.
            folder = kept;
            return;
        }
        reader = FuzzReaders.ofFiles(originals).stream()
                .filter(each -> each.reader().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no reader " + name));
        envelope = switch (name) {
            case "safetensors-header" -> ModelFaults.HEADER;
            case "manifest-body" -> CheckpointFaults.BODY;
            default -> JsonFaults.WHOLE_FILE;
        };
        Originals.copy(reader.original(), folder.resolve("case"));
        good = Files.readAllBytes(folder.resolve("case").resolve(reader.file()));
        envelope.edit(good, part -> {
            Files.write(corpus.resolve("good"), part);
            return part;
        });
    }

    /** Called for each input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        if (method != null) {
            Verdict.check(reader, folder, input, method.run().apply(input));
            return;
        }
        Path place = folder.resolve("case");
        Files.write(place.resolve(reader.file()), envelope.edit(good, part -> input));
        Duration before = cpuTime();
        Optional<Program.Result> result = hirundo.run(WAITED, reader.commandIn(place));
        Verdict.check(reader, place, input, result.orElseThrow(() -> new AssertionError("no end within " + WAITED)));
        Duration used = cpuTime().minus(before);
        if (used.compareTo(InProcess.LIMIT) > 0) {
            throw new AssertionError("took " + used.toSeconds() + " s of CPU time");
        }
        for (String ending : List.of("bin", "idx", "json", "sums", "html")) {
            Files.deleteIfExists(place.resolve("out." + ending));
        }
    }

    private static Duration cpuTime() {
        return Duration.ofNanos(SYSTEM.getProcessCpuTime());
    }
}
