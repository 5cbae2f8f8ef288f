package io.hirundo.trainer.internal.record;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts events that failing listeners missed. Logs one line when a listener fails and one when it works again;
 * failures in between are only counted. Thread-safe.
 */
public final class MissedEvents {
    private static final Logger LOG = LoggerFactory.getLogger(MissedEvents.class);

    /** By listener that ever failed. */
    private final Map<Object, Missed> missed = new IdentityHashMap<>();

    private static final class Missed {
        private long events;
        private long sinceItWorked;
        private boolean isDefectTold;
        /** Empty while the listener works. */
        private final Set<String> kinds = new HashSet<>();

        private StorageException storage;
        private Throwable last;
    }

    /**
     * Delivers an event. A listener's failure is logged and does not end the training.
     *
     * @param kind of event: a listener that fails at one kind works again when it accepts that kind, since it may ignore others
     */
    void deliver(Object listener, String kind, Runnable delivery) {
        try {
            delivery.run();
        } catch (RuntimeException | LinkageError failure) {
            failed(listener, kind, failure);
            return;
        }
        worked(listener, kind);
    }

    private void failed(Object listener, String kind, Throwable failure) {
        boolean isDefect = !(failure instanceof HirundoException);
        boolean isNews;
        boolean isTraced;
        synchronized (missed) {
            Missed its = missed.computeIfAbsent(listener, any -> new Missed());
            isTraced = isDefect && !its.isDefectTold;
            isNews = its.kinds.isEmpty() || isTraced;
            its.isDefectTold |= isDefect;
            its.kinds.add(kind);
            its.events++;
            its.sinceItWorked++;
            its.last = failure;
            if (failure instanceof StorageException storage) {
                its.storage = storage;
            }
        }
        // Outside the lock: log messages are themselves delivered to logs of the run.
        if (isNews) {
            LOG.error(
                    "monitor {} failed on {}, and is not reported again until it works: {}",
                    name(listener),
                    spaced(kind),
                    words(failure),
                    isTraced ? failure : null);
        }
    }

    private void worked(Object listener, String kind) {
        long count;
        synchronized (missed) {
            Missed its = missed.get(listener);
            if (its == null || !its.kinds.contains(kind)) {
                return;
            }
            its.kinds.clear();
            count = its.sinceItWorked;
            its.sinceItWorked = 0;
        }
        LOG.warn("monitor {} works again; it missed {}", name(listener), events(count));
    }

    /** Logs one line about missed events, if there are any. */
    public void tell() {
        String all = describe();
        if (!all.isEmpty()) {
            LOG.error("{}", all);
        }
    }

    /**
     * As {@link #tell}, if no run file lost data.
     *
     * @throws StorageException with that line, if a listener could not write a file
     */
    public void requireFilesWhole() {
        StorageException storage;
        synchronized (missed) {
            storage = missed.values().stream()
                    .map(its -> its.storage)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        if (storage != null) {
            throw new StorageException("the training has ended, but its files are incomplete: " + describe(), storage);
        }
        tell();
    }

    private String describe() {
        synchronized (missed) {
            return missed.entrySet().stream()
                    .map(each -> {
                        Missed its = each.getValue();
                        Throwable why = its.storage == null ? its.last : its.storage;
                        return name(each.getKey()) + " missed " + events(its.events) + " (" + words(why) + ")";
                    })
                    .sorted()
                    .collect(Collectors.joining(", "));
        }
    }

    private static String events(long count) {
        return count == 1 ? "1 event" : count + " events";
    }

    private static String words(Throwable failure) {
        return Reason.of(failure);
    }

    /** As configurations call it, for instance {@code jsonl} for a {@code JsonlMonitor}. */
    private static String name(Object listener) {
        String name = listener.getClass().getSimpleName().replaceFirst("\\$\\$.*|Monitor$", "");
        return name.isEmpty() ? "without a name" : spaced(name).replace(' ', '-');
    }

    /** {@code step completed} for {@code StepCompleted}. */
    private static String spaced(String name) {
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
