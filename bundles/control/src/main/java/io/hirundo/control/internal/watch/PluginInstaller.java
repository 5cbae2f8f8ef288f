package io.hirundo.control.internal.watch;

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
 * Takes jars over from FileInstall, which by itself would leave half-broken bundles behind and try them again and
 * again: here one that cannot serve leaves a line in the log, and what was there before goes on. FileInstall calls from
 * one thread a folder.
 */
@Component(service = ArtifactInstaller.class)
public final class PluginInstaller implements ArtifactInstaller {
  private static final Logger LOG = LoggerFactory.getLogger(PluginInstaller.class);

  /** A plugin names its classes, and what it throws says what it likes. */
  private static final int LONGEST_REASON = 240;

  private final BundleContext context;
  private final PluginFramework framework;

  /** Bundles that a failed replacement has left stopped: what is dropped next is tried, be it what they were before. */
  private final Set<Bundle> stopped = new HashSet<>();

  /** Jars that no other bundle can help: not tried again before they change. */
  private final Set<Path> broken = new HashSet<>();

  @Activate
  public PluginInstaller(BundleContext context) {
    this(context, Duration.ofMinutes(1), new PluginStarter(context));
  }

  /** With another patience than the usual for those that use what is replaced, and with what is started. */
  PluginInstaller(BundleContext context, Duration patience, PluginStarter starter) {
    this.context = context;
    this.framework = new PluginFramework(context, patience, starter);
  }

  @Override
  public boolean canHandle(File file) {
    // To open a named pipe would wait for its other end.
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
    framework
        .find(file.toPath())
        .ifPresent(
            bundle -> {
              boolean letGo = framework.uninstall(bundle);
              kept(bundle).delete();
              stopped.remove(bundle);
              LOG.info(
                  "plugin {} was removed: {}{}",
                  file.getName(), name(bundle), letGo ? "" : "; other bundles still use its classes");
            });
  }

  /**
   * New, changed, or there already: FileInstall shows everything once when it starts, also what the launcher has
   * installed.
   */
  private synchronized void put(Path jar) {
    Optional<Bundle> known = framework.find(jar);
    try {
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
      LOG.warn("plugin {} is not used; {}", jar.getFileName(), failure.getMessage());
      LOG.debug("plugin {}", jar.getFileName(), failure);
    } catch (RefusedPluginException | IOException refusal) {
      LOG.warn(
          "plugin {} is not used{}: {}",
          jar.getFileName(),
          known.map(bundle -> "; " + name(bundle) + " stays as it was").orElse(""),
          Excerpt.of(refusal.getMessage(), LONGEST_REASON));
    }
  }

  private void install(Path jar) throws RefusedPluginException, IOException {
    broken.remove(jar);
    RefusedPluginException refusal = installWithWhatWaits(List.of(jar), jar.getParent()).get(jar);
    if (refusal != null) {
      throw refusal;
    }
  }

  /**
   * FileInstall brings one jar after the other, in any order: one may need another that has not had its turn, or have
   * waited for this one since. Of those that are not brought now it is said only that they serve.
   */
  private Map<Path, RefusedPluginException> installWithWhatWaits(List<Path> brought, Path folder) throws IOException {
    List<Path> jars = new ArrayList<>(brought);
    try (Stream<Path> files = Files.list(folder)) {
      files
          .filter(file -> canHandle(file.toFile()) && !jars.contains(file) && !broken.contains(file))
          .filter(file -> framework.find(file).isEmpty())
          .sorted()
          .forEach(jars::add);
    }
    Map<Path, RefusedPluginException> refused = framework.install(jars);
    for (Path jar : jars) {
      RefusedPluginException refusal = refused.get(jar);
      if (refusal == null) {
        Bundle bundle = framework.find(jar).orElseThrow();
        keep(bundle, jar);
        LOG.info("plugin {} was installed: {}", jar.getFileName(), name(bundle));
      } else if (!refusal.isUnresolved()) {
        broken.add(jar);
      }
    }
    return refused;
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

  /** Back to what it was if the new one cannot be started. */
  private void replace(Bundle bundle, Path jar) throws FailedReplacementException {
    String before = name(bundle);
    try {
      if (!framework.replace(bundle, jar)) {
        // To go back would have to wait for the same bundles.
        throw new FailedReplacementException(stopped(bundle), stillUsed());
      }
    } catch (RefusedPluginException refusal) {
      throw new FailedReplacementException(goBack(bundle, before, refusal), refusal);
    }
    stopped.remove(bundle);
    keep(bundle, jar);
  }

  /** Returns what the bundle is now. */
  private String goBack(Bundle bundle, String before, RefusedPluginException refusal)
      throws FailedReplacementException {
    if (!kept(bundle).exists()) {
      return stopped(bundle) + ", since " + before + " had not been kept";
    }
    try {
      if (!framework.replace(bundle, kept(bundle).toPath())) {
        throw stillUsed();
      }
      stopped.remove(bundle);
      return before + " serves again";
    } catch (RefusedPluginException second) {
      second.addSuppressed(refusal);
      throw new FailedReplacementException(
          stopped(bundle) + ", since after the new one (" + refusal.getMessage() + ") it could not be started again",
          second);
    }
  }

  private String stopped(Bundle bundle) {
    stopped.add(bundle);
    return name(bundle) + " is stopped until the jar is dropped once more";
  }

  private static RefusedPluginException stillUsed() {
    return new RefusedPluginException("other bundles have not let go of the classes of the one before in time", null);
  }

  /** What is not kept serves as well; but cannot be gone back to. */
  private void keep(Bundle bundle, Path jar) {
    try {
      Files.copy(jar, kept(bundle).toPath(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      LOG.warn(
          "plugin {} cannot be kept, so that no failed successor will give way to it: {}",
          jar.getFileName(), failure.toString());
      kept(bundle).delete();
    }
  }

  /** Where the content of a bundle is kept, to have it when its successor fails. */
  private File kept(Bundle bundle) {
    return context.getDataFile("plugin-" + bundle.getBundleId() + ".jar");
  }

  private static String name(Bundle bundle) {
    return bundle.getSymbolicName() + " " + bundle.getVersion();
  }
}
