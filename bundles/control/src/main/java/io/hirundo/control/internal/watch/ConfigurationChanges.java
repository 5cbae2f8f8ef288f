package io.hirundo.control.internal.watch;

import io.hirundo.Reason;
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
 * Turns {@code conf/io.hirundo.training.cfg} into change requests: the first has all lines, later ones have the lines that
 * changed or were not accepted. A removed line changes nothing, because the file does not name another value for the setting.
 */
@Component(
        service = {},
        immediate = true,
        configurationPid = ConfigurationChanges.PID,
        configurationPolicy = ConfigurationPolicy.REQUIRE)
public final class ConfigurationChanges {
    static final String PID = "io.hirundo.training";

    /** Service properties that do not come from the file. */
    private static final List<String> NOT_OURS = List.of("service.", "component.", "osgi.", "felix.", ".");

    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationChanges.class);

    private final RunControl control;

    /** The lines of the last request. The same lines are not requested again, accepted or not. */
    private Map<String, String> requested = Map.of();

    /** Accepted lines. Read and written by the requests, which run in sequence. */
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
        List<String> assignments = changed.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .toList();
        return control.change(assignments).handle((decision, failure) -> {
            boolean all = failure == null && decision.granted();
            if (all) {
                granted.putAll(changed);
            }
            tell(assignments, failure == null ? decision.message() : Reason.of(failure), all);
            return null;
        });
    }

    private static Map<String, String> settings(Map<String, Object> lines) {
        var settings = new TreeMap<String, String>();
        lines.forEach((path, value) -> {
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
