package io.hirundo.trainer.internal.binding;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a document, so that a user can mend everything at once. */
public final class Problems {
  /** How many are printed: who has more mends these first. */
  private static final int MOST_SHOWN = 20;

  private final List<String> lines = new ArrayList<>();

  /**
   * Adds one.
   *
   * @param path where, as in {@code training.steps}; empty for the whole document
   * @param message what, and what is allowed
   */
  public void add(String path, String message) {
    lines.add(path.isEmpty() ? message : path + ": " + message);
  }

  public int count() {
    return lines.size();
  }

  /**
   * Ends the reading of a faulty document.
   *
   * @param subject what was read, a file name for instance; empty if there is nothing to say
   */
  public void throwIfAny(String subject) {
    if (lines.isEmpty()) {
      return;
    }
    String prefix = subject.isEmpty() ? "" : subject + ": ";
    if (lines.size() == 1) {
      throw new ConfigurationException(prefix + lines.getFirst());
    }
    String more = lines.size() > MOST_SHOWN ? "\n  ... and " + (lines.size() - MOST_SHOWN) + " more" : "";
    throw new ConfigurationException(
        prefix + lines.size() + " settings are wrong\n  "
            + String.join("\n  ", lines.subList(0, Math.min(lines.size(), MOST_SHOWN))) + more);
  }
}
