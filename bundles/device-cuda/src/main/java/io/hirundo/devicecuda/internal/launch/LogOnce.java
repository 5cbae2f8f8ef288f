package io.hirundo.devicecuda.internal.launch;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each line only once, for messages that would repeat at every launch or device. Thread-safe. */
public final class LogOnce {
    private static final Logger LOG = LoggerFactory.getLogger(LogOnce.class);

    private final Set<String> said = ConcurrentHashMap.newKeySet();

    public void info(String line) {
        if (said.add(line)) {
            LOG.info(line);
        }
    }
}
