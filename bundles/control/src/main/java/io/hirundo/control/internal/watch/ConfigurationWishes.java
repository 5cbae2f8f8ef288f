package io.hirundo.control.internal.watch;

import io.hirundo.train.RunControl;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code conf/io.hirundo.training.cfg} says becomes a wish: all of it when it is first seen, afterwards the lines that have
 * changed. A line that is taken away changes nothing, for nobody knows what else it should be.
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
  private Map<String, String> seen = Map.of();

  @Activate
  public ConfigurationWishes(@Reference RunControl control, Map<String, Object> lines) {
    this.control = control;
    wish(lines);
  }

  @Modified
  void wish(Map<String, Object> lines) {
    Map<String, String> settings = settings(lines);
    List<String> changed =
        settings.entrySet().stream()
            .filter(setting -> !Objects.equals(seen.get(setting.getKey()), setting.getValue()))
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .toList();
    seen = settings;
    if (!changed.isEmpty()) {
      control.change(changed).whenComplete((decision, failure) -> tell(changed, failure == null ? decision.message() : failure.getMessage(),
          failure == null && decision.granted()));
    }
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
