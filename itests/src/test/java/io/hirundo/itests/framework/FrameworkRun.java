package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.train.RunControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/** A training in the test's own framework, started by the service of the command line. */
final class FrameworkRun implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 300;
    private static final String CONFIGURATION = """
      {"run": {"name": "framework"},
       "model": {"architecture": {"name": "llama", "options": {"vocabSize": 64, "hiddenSize": 8, "intermediateSize": 8,
          "numHiddenLayers": 1, "numAttentionHeads": 2, "numKeyValueHeads": 2, "maxPositionEmbeddings": 4}},
        "format": null, "export": false},
       "device": {"name": "cpu", "options": {"workers": 1, "kernels": "reference"}},
       "training": {"steps": 100000000, "sequenceTokens": 4, "microBatch": 2, "globalBatch": 4},
       "learningRate": {"name": "constant", "options": {"peak": 1.0e-4}},
       "data": {"source": {"name": "synthetic", "options": {"vocabulary": 64}}},
       "checkpoint": {"strategy": null, "atEnd": false}}
      """;

    private final BundleContext context;
    private final Path folder;
    private final FutureTask<Integer> exitCode;

    /** {@code settings}: as after {@code --set}. */
    FrameworkRun(BundleContext context, String... settings) throws Exception {
        this.context = context;
        this.folder = Files.createTempDirectory("hirundo-run");
        Path configuration = Files.writeString(folder.resolve("run.json"), CONFIGURATION);
        var arguments = new ArrayList<>(
                List.of("train", configuration.toString(), "--tp", "2", "--set", "run.directory=" + folder));
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        var mains = context.getServiceReferences(ToIntFunction.class, "(hirundo.main=true)");
        @SuppressWarnings("unchecked")
        ToIntFunction<String[]> main = context.getService(mains.iterator().next());
        exitCode = new FutureTask<>(() -> main.applyAsInt(arguments.toArray(String[]::new)));
        new Thread(exitCode, "training").start();
        await(() -> context.getServiceReference(RunControl.class) != null);
    }

    RunControl control() {
        ServiceReference<RunControl> reference = context.getServiceReference(RunControl.class);
        assertTrue(reference != null, "the run has ended");
        return context.getService(reference);
    }

    long step() {
        return control().status().progress().step();
    }

    /** Waits for so many more steps. */
    void awaitSteps(int more) throws Exception {
        long wanted = step() + more;
        await(() -> step() >= wanted);
    }

    void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (!condition.call()) {
            assertTrue(!exitCode.isDone(), "the training has ended");
            assertTrue(System.nanoTime() < deadline, "waited too long");
            Thread.sleep(5);
        }
    }

    static Bundle bundle(BundleContext context, String name) {
        for (Bundle bundle : context.getBundles()) {
            if (name.equals(bundle.getSymbolicName())) {
                return bundle;
            }
        }
        throw new AssertionError("no bundle " + name);
    }

    /** Ends the training and returns its exit code. */
    int stop() throws Exception {
        control().stop();
        return exitCode.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws Exception {
        if (!exitCode.isDone()) {
            stop();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
