package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Profiles;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.inject.Inject;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;

/** Repeated updates of a strategy's bundle during a training leak nothing. */
@ExtendWith(PaxExamExtension.class)
public class UpdatesLeakNothingIT {
    private static final int UPDATES = 100;

    /** Updates after which one-time allocations are done and hot code is compiled. */
    private static final int WARM = 40;

    /** Class metadata per update: running code gathers profiles. One bundle's classes take many times as much. */
    private static final long PROFILE_BYTES = 10 << 10;

    /** The JVM's own come and go; an update that left one would have left sixty. */
    private static final int FEW_THREADS = 5;

    private static final String BUNDLE = "precision-native";

    @Inject
    private BundleContext context;

    @Configuration
    public Option[] configuration() {
        return Profiles.options("minimal");
    }

    @Test
    public void hundredUpdates() throws Exception {
        Path jar = Profiles.jar("minimal", "hirundo-" + BUNDLE);
        Bundle precision = FrameworkRun.bundle(context, "io.hirundo." + BUNDLE);
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        try (var run = new FrameworkRun(context)) {
            update(precision, jar, run, WARM, loaders);
            Footprint before = Footprint.of(run);
            update(precision, jar, run, UPDATES - WARM, loaders);
            Footprint after = Footprint.of(run);

            long alive = loaders.stream().filter(loader -> loader.get() != null).count();
            assertTrue(alive <= 1, alive + " class loaders of " + UPDATES + " are still there");
            assertTrue(after.threads() <= before.threads() + FEW_THREADS, before + " became " + after);
            assertEquals(before.bufferBytes(), after.bufferBytes());
            long grown = after.classBytes() - before.classBytes();
            assertTrue(grown < (UPDATES - WARM) * PROFILE_BYTES, before + " became " + after);
            assertEquals(130, run.stop());
        }
    }

    private static void update(
            Bundle bundle, Path jar, FrameworkRun run, int times, List<WeakReference<ClassLoader>> loaders)
            throws Exception {
        for (int time = 0; time < times; time++) {
            loaders.add(new WeakReference<>(bundle.adapt(BundleWiring.class).getClassLoader()));
            try (InputStream content = Files.newInputStream(jar)) {
                bundle.update(content);
            }
            run.awaitSteps(2);
        }
    }

    /**
     * What this process holds.
     *
     * @param threads that live
     * @param bufferBytes outside the heap: tensors, workspaces, arenas
     * @param classBytes of class metadata
     */
    private record Footprint(int threads, long bufferBytes, long classBytes) {
        private static final Pattern COMMITTED =
                Pattern.compile("(Class|Other|Metaspace) \\(reserved=\\d+KB, committed=(\\d+)KB");

        /** Measured while the run is paused, because a step allocates and releases buffers. */
        static Footprint of(FrameworkRun run) throws Exception {
            run.control().pause().get();
            Footprint footprint = measure();
            run.control().resume().get();
            return footprint;
        }

        private static Footprint measure() throws Exception {
            for (int time = 0; time < 5; time++) {
                System.gc();
                Thread.sleep(100);
            }
            var server = ManagementFactory.getPlatformMBeanServer();
            String summary = (String) server.invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "vmNativeMemory",
                    new Object[] {new String[] {"summary"}},
                    new String[] {String[].class.getName()});
            Map<String, Long> bytes = new HashMap<>();
            Matcher figures = COMMITTED.matcher(summary);
            while (figures.find()) {
                bytes.put(figures.group(1), Long.parseLong(figures.group(2)) << 10);
            }
            assertEquals(3, bytes.size(), summary);
            return new Footprint(
                    Thread.getAllStackTraces().size(), bytes.get("Other"), bytes.get("Class") + bytes.get("Metaspace"));
        }
    }
}
