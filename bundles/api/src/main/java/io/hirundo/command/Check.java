package io.hirundo.command;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** Something that {@code hirundo doctor} looks at. Any OSGi service of this type is asked. */
@ConsumerType
public interface Check {
  /** Looks, changes nothing, takes at most a second or so. */
  List<Finding> look();

  /**
   * What a check found.
   *
   * @param state whether it can be used
   * @param subject a word or two: {@code JDK} for instance
   * @param text what is there and will be used; or what is not, why, and what to do
   */
  record Finding(State state, String subject, String text) {}

  /** Whether something can be used. */
  enum State {
    /** There, and will be used. */
    GOOD,
    /** Not there, and not needed. */
    ABSENT,
    /** Wrong: something will not work or not work well. */
    BAD
  }
}
