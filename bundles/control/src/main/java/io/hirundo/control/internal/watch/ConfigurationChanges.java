package io.hirundo.control.internal.watch;

import io.hirundo.train.RunControl;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns {@code conf/io.hirundo.training.cfg} into change requests: the first one has all lines, later ones have the lines that
 * have changed and those that were not granted. A line that is removed changes nothing, because the file does not say which
 * other value the setting should have.
 */
@Component(
    service = {},
    immediate = true,
    configurationPid = ConfigurationChanges.PID,
    configurationPolicy = ConfigurationPolicy.REQUIRE)
public final class ConfigurationChanges {
  static final String PID = "io.hirundo.training";

  /** Of the services that carry the lines here. */
  private static final List<String> NOT_OURS = List.of("service.", "component.", "osgi.", "felix.", ".");

  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationChanges.class);

  private final RunControl control;

  /** The lines of the last request. The same lines are not requested again, whether they were granted or rejected. */
  private Map<String, String> requested = Map.of();

  /** Lines that were granted. Read and written by the requests, which run one after the other. */
  private final Map<String, String> granted = new TreeMap<>();

  private CompletableFuture<Void> lastRequest = CompletableFuture.completedFuture(null);

  @Activate
  public ConfigurationChanges(@Reference RunControl control, Map<String, Object> lines) {
    this.control = control;
    request(lines);
  }

  @Modified
  synchronized void request(Map<String, Object> lines) {
    Map<String, String> settings = settings(lines);
    if (!settings.equals(requested)) {
      requested = settings;
      lastRequest = lastRequest.thenCompose(_ -> requestWhatIsNotGranted(settings));
    }
  }

  private CompletableFuture<Void> requestWhatIsNotGranted(Map<String, String> settings) {
    granted.keySet().retainAll(settings.keySet());
    var changed = new TreeMap<>(settings);
    changed.entrySet().removeAll(granted.entrySet());
    if (changed.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<String> assignments =
        changed.entrySet().stream().map(setting -> setting.getKey() + "=" + setting.getValue()).toList();
    return control
        .change(assignments)
        .handle(
            (decision, failure) -> {
              boolean all = failure == null && decision.granted();
              if (all) {
                granted.putAll(changed);
              }
              tell(assignments, failure == null ? decision.message() : failure.getMessage(), all);
              return null;
            });
  }

  private static Map<String, String> settings(Map<String, Object> lines) {
    var settings = new TreeMap<String, String>();
    lines.forEach(
        (path, value) -> {
          if (NOT_OURS.stream().noneMatch(path::startsWith)) {
            settings.put(path, String.valueOf(value));
          }
        });
    return settings;
  }

  private static void tell(List<String> changed, String message, boolean granted) {
    if (granted) {
      LOG.info("conf/{}.cfg: {}: {}", PID, changed, message);
    } else {
      LOG.warn("conf/{}.cfg: {} was rejected: {}", PID, changed, message);
    }
  }
}
