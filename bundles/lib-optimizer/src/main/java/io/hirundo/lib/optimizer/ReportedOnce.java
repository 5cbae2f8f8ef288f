package io.hirundo.lib.optimizer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What an optimizer has logged: all ranks of a process bind the same optimizer, and every rehearsal of a swap binds it again. Thread-safe. */
public final class ReportedOnce {
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /** Whether this is the first report about a subject. */
    public boolean isFirst(String subject) {
        return reported.add(subject);
    }
}
