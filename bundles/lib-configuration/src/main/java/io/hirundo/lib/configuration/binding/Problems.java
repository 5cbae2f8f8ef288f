package io.hirundo.lib.configuration.binding;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.List;

/** Collects all errors of a document, so that a user can fix them at once. */
public final class Problems {
    /** Maximum number of printed errors. */
    private static final int MAX_SHOWN = 20;

    private final List<String> lines = new ArrayList<>();

    /**
     * Adds an error.
     *
     * @param path path of the setting, for example {@code training.steps}; empty for the document
     * @param message what is wrong and what is allowed
     */
    public void add(String path, String message) {
        lines.add(path.isEmpty() ? message : path + ": " + message);
    }

    public int count() {
        return lines.size();
    }

    /**
     * Throws one exception with all collected errors, if there are any.
     *
     * @param subject what was read, for example a file name; may be empty
     */
    public void throwIfAny(String subject) {
        if (lines.isEmpty()) {
            return;
        }
        String prefix = subject.isEmpty() ? "" : subject + ": ";
        if (lines.size() == 1) {
            throw new ConfigurationException(prefix + lines.getFirst());
        }
        String more = lines.size() > MAX_SHOWN ? "\n  ... and " + (lines.size() - MAX_SHOWN) + " more" : "";
        throw new ConfigurationException(prefix + lines.size() + " settings are wrong\n  "
                + String.join("\n  ", lines.subList(0, Math.min(lines.size(), MAX_SHOWN))) + more);
    }
}
