package io.hirundo.control.internal.watch;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jars over from FileInstall, which by itself would leave half-broken bundles behind and try them again and again: here
 * one that cannot serve leaves a line in the log, and what was there before goes on. FileInstall calls from one thread a folder.
 */
@Component(service = ArtifactInstaller.class)
public final class PluginInstaller implements ArtifactInstaller {
  private static final Logger LOG = LoggerFactory.getLogger(PluginInstaller.class);

  private final BundleContext context;
  private final PluginFramework framework;

  @Activate
  public PluginInstaller(BundleContext context) {
    this.context = context;
    this.framework = new PluginFramework(context);
  }

  @Override
  public boolean canHandle(File file) {
    return file.getName().endsWith(".jar");
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
    framework
        .find(file.toPath())
        .ifPresent(
            bundle -> {
              framework.uninstall(bundle);
              kept(bundle).delete();
              LOG.info("plugin {} was removed: {}", file.getName(), name(bundle));
            });
  }

  /** New, changed, or there already: FileInstall shows everything once when it starts, also what the launcher has installed. */
  private synchronized void put(Path jar) {
    Optional<Bundle> known = framework.find(jar);
    try {
      if (known.isEmpty()) {
        Bundle bundle = framework.install(jar);
        keep(bundle, jar);
        LOG.info("plugin {} was installed: {}", jar.getFileName(), name(bundle));
      } else if (isAsInstalled(known.get(), jar)) {
        keep(known.get(), jar);
      } else {
        framework.tryOut(jar);
        replace(known.get(), jar);
        LOG.info("plugin {} was updated: {}", jar.getFileName(), name(known.get()));
      }
    } catch (RefusedPluginException | IOException refusal) {
      LOG.warn(
          "plugin {} is not used{}: {}",
          jar.getFileName(),
          known.map(bundle -> "; " + name(bundle) + " stays as it was").orElse(""),
          refusal.getMessage());
    }
  }

  private boolean isAsInstalled(Bundle bundle, Path jar) throws IOException {
    Path kept = kept(bundle).toPath();
    return Files.exists(kept)
        ? Files.mismatch(kept, jar) < 0
        : Files.getLastModifiedTime(jar).toMillis() <= bundle.getLastModified();
  }

  /** Back to what it was if the new one cannot be started. */
  private void replace(Bundle bundle, Path jar) throws RefusedPluginException, IOException {
    try {
      framework.replace(bundle, jar);
      keep(bundle, jar);
    } catch (RefusedPluginException refusal) {
      if (kept(bundle).exists()) {
        framework.replace(bundle, kept(bundle).toPath());
      }
      throw refusal;
    }
  }

  private void keep(Bundle bundle, Path jar) throws IOException {
    Files.copy(jar, kept(bundle).toPath(), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Where the content of a bundle is kept, to have it when its successor fails. */
  private File kept(Bundle bundle) {
    return context.getDataFile("plugin-" + bundle.getBundleId() + ".jar");
  }

  private static String name(Bundle bundle) {
    return bundle.getSymbolicName() + " " + bundle.getVersion();
  }
}
