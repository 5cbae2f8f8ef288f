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
 * What {@code conf/io.hirundo.training.cfg} says becomes a wish: all of it when it is first seen, afterwards the lines
 * that have changed and those that have not been granted. A line that is taken away changes nothing, for nobody knows
 * what else it should be.
 */
@Component(
    service = {},
    immediate = true,
    configurationPid = ConfigurationWishes.PID,
    configurationPolicy = ConfigurationPolicy.REQUIRE)
public final class ConfigurationWishes {
  static final String PID = "io.hirundo.training";

  /** Of the services that carry the lines here. */
  private static final List<String> NOT_OURS = List.of("service.", "component.", "osgi.", "felix.", ".");

  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationWishes.class);

  private final RunControl control;

  /** What the file said when it was last asked for: the same is not asked for again, were it refused or not. */
  private Map<String, String> asked = Map.of();

  /** Lines that need not be asked for. Belongs to the wishes, of which each waits for the one before it. */
  private final Map<String, String> granted = new TreeMap<>();

  private CompletableFuture<Void> lastWish = CompletableFuture.completedFuture(null);

  @Activate
  public ConfigurationWishes(@Reference RunControl control, Map<String, Object> lines) {
    this.control = control;
    wish(lines);
  }

  @Modified
  synchronized void wish(Map<String, Object> lines) {
    Map<String, String> settings = settings(lines);
    if (!settings.equals(asked)) {
      asked = settings;
      lastWish = lastWish.thenCompose(_ -> wishForWhatIsNotGranted(settings));
    }
  }

  private CompletableFuture<Void> wishForWhatIsNotGranted(Map<String, String> settings) {
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
      LOG.warn("conf/{}.cfg: {} was refused: {}", PID, changed, message);
    }
  }
}
