package io.hirundo.devicecuda.internal.kernel;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines of a device that would else come at every launch. Thread-safe. */
final class SaidOnce {
  private static final Logger LOG = LoggerFactory.getLogger(SaidOnce.class);

  private final Set<String> said = ConcurrentHashMap.newKeySet();

  void info(String line) {
    if (said.add(line)) {
      LOG.info(line);
    }
  }
}
