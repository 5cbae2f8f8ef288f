package io.hirundo.control.internal.watch;

import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.plugin.PluginStarter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs plugin jars in place of FileInstall's own installer, which would leave half-broken bundles behind and retry them
 * forever. Here, a jar that fails leaves a line in the log, and the earlier bundle keeps running. FileInstall calls from one
 * thread per folder.
 */
@Component(service = ArtifactInstaller.class)
public final class PluginInstaller implements ArtifactInstaller {
    private static final Logger LOG = LoggerFactory.getLogger(PluginInstaller.class);

    /** Plugin names and exception messages are untrusted text. */
    private static final int LONGEST_REASON = 240;

    private final BundleContext context;
    private final PluginFramework framework;

    /** Bundles that a failed replacement left stopped: the next jar is tried even if it equals the earlier one. */
    private final Set<Bundle> stopped = new HashSet<>();

    /** Jars that no other bundle can fix: not retried until they change. */
    private final Set<Path> broken = new HashSet<>();

    @Activate
    public PluginInstaller(BundleContext context) {
        this(context, Duration.ofMinutes(1), new PluginStarter(context));
    }

    /** {@code patience}: how long to wait for users of a replaced bundle. */
    PluginInstaller(BundleContext context, Duration patience, PluginStarter starter) {
        this.context = context;
        this.framework = new PluginFramework(context, patience, starter);
    }

    @Override
    public boolean canHandle(File file) {
        // Opening a named pipe would block until somebody writes to it.
        return file.getName().endsWith(".jar") && file.isFile();
    }

    @Override
    public void install(File file) {
        put(file.toPath());
    }

    @Override
    public void update(File file) {
        put(file.toPath());
    }

    @Override
    public synchronized void uninstall(File file) {
        broken.remove(file.toPath());
        framework.find(file.toPath()).ifPresent(bundle -> {
            boolean letGo = framework.uninstall(bundle);
            kept(bundle).delete();
            stopped.remove(bundle);
            LOG.info(
                    "plugin {} was removed: {}{}",
                    file.getName(),
                    name(bundle),
                    letGo ? "" : "; other bundles still use its classes");
        });
    }

    /**
     * Handles a new, changed or known jar: at its start FileInstall reports every jar, including those that the launcher installed.
     */
    private synchronized void put(Path jar) {
        Optional<Bundle> known = framework.find(jar);
        try {
            framework.requireTrusted(jar);
            if (known.isEmpty()) {
                install(jar);
            } else if (isAsInstalled(known.get(), jar)) {
                keep(known.get(), jar);
            } else {
                framework.tryOut(jar);
                replace(known.get(), jar);
                LOG.info("plugin {} was updated: {}", jar.getFileName(), name(known.get()));
                installWithWhatWaits(List.of(), jar.getParent());
            }
        } catch (FailedReplacementException failure) {
            LOG.warn("plugin {} is not used; {}", jar.getFileName(), Reason.of(failure));
            LOG.debug("plugin {}", jar.getFileName(), failure);
        } catch (RejectedPluginException | IOException rejection) {
            LOG.warn(
                    "plugin {} is not used{}: {}",
                    jar.getFileName(),
                    known.map(bundle -> "; " + name(bundle) + " keeps running unchanged")
                            .orElse(""),
                    Excerpt.of(Reason.of(rejection), LONGEST_REASON));
        }
    }

    private void install(Path jar) throws RejectedPluginException, IOException {
        broken.remove(jar);
        RejectedPluginException rejection =
                installWithWhatWaits(List.of(jar), jar.getParent()).get(jar);
        if (rejection != null) {
            throw rejection;
        }
    }

    /**
     * Installs jars together with the waiting ones. FileInstall delivers jars one by one, in any order: a jar may need one that
     * comes later, or an earlier one may wait for it. Waiting jars are only logged when they start.
     */
    private Map<Path, RejectedPluginException> installWithWhatWaits(List<Path> brought, Path folder)
            throws IOException {
        List<Path> jars = new ArrayList<>(brought);
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> canHandle(file.toFile()) && !jars.contains(file) && !broken.contains(file))
                    .filter(file -> framework.find(file).isEmpty()
                            && framework.distrust(file).isEmpty())
                    .sorted()
                    .forEach(jars::add);
        }
        Map<Path, RejectedPluginException> rejected = framework.install(jars);
        for (Path jar : jars) {
            RejectedPluginException rejection = rejected.get(jar);
            if (rejection == null) {
                Bundle bundle = framework.find(jar).orElseThrow();
                keep(bundle, jar);
                LOG.info("plugin {} was installed: {}", jar.getFileName(), name(bundle));
            } else if (!rejection.isUnresolved()) {
                broken.add(jar);
            }
        }
        return rejected;
    }

    private boolean isAsInstalled(Bundle bundle, Path jar) throws IOException {
        Path kept = kept(bundle).toPath();
        if (stopped.contains(bundle)) {
            return false;
        }
        return Files.exists(kept)
                ? Files.mismatch(kept, jar) < 0
                : Files.getLastModifiedTime(jar).toMillis() <= bundle.getLastModified();
    }

    /** Restores the earlier content if the new one cannot start. */
    private void replace(Bundle bundle, Path jar) throws FailedReplacementException {
        String before = name(bundle);
        try {
            if (!framework.replace(bundle, jar)) {
                // Restoring would have to wait for the same bundles.
                throw new FailedReplacementException(stopped(bundle), stillUsed());
            }
        } catch (RejectedPluginException rejection) {
            throw new FailedReplacementException(goBack(bundle, before, rejection), rejection);
        }
        stopped.remove(bundle);
        keep(bundle, jar);
    }

    /** Returns the bundle's state now. */
    private String goBack(Bundle bundle, String before, RejectedPluginException rejection)
            throws FailedReplacementException {
        if (!kept(bundle).exists()) {
            return stopped(bundle) + ", because " + before + " had no backup copy";
        }
        try {
            if (!framework.replace(bundle, kept(bundle).toPath())) {
                throw stillUsed();
            }
            stopped.remove(bundle);
            return before + " runs again";
        } catch (RejectedPluginException second) {
            second.addSuppressed(rejection);
            throw new FailedReplacementException(
                    stopped(bundle) + ", because after the new one (" + Reason.of(rejection)
                            + ") it could not be started again",
                    second);
        }
    }

    private String stopped(Bundle bundle) {
        stopped.add(bundle);
        return name(bundle) + " is stopped until the jar is copied again";
    }

    private static RejectedPluginException stillUsed() {
        return new RejectedPluginException(
                "other bundles did not release the classes of the earlier version in time", null);
    }

    /** Keeps a copy of the content. A plugin without a copy works, but cannot be restored. */
    private void keep(Bundle bundle, Path jar) {
        try {
            Files.copy(jar, kept(bundle).toPath(), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            LOG.warn(
                    "cannot back up plugin {}, so a failed update cannot be rolled back: {}",
                    jar.getFileName(),
                    Reason.of(failure));
            kept(bundle).delete();
        }
    }

    /** The file that keeps a bundle's content for restoring. */
    private File kept(Bundle bundle) {
        return context.getDataFile("plugin-" + bundle.getBundleId() + ".jar");
    }

    private static String name(Bundle bundle) {
        return bundle.getSymbolicName() + " " + bundle.getVersion();
    }
}
