package io.hirundo.command;

import java.io.PrintStream;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A command at the prompt of a running training ({@code hirundo attach}, {@code hirundo train --shell}), contributed by any
 * bundle: an OSGi service of this type in the process that leads the run. A line of the prompt reaches registered commands and
 * nothing else. The commands of Hirundo itself cannot be replaced: of two commands with one name, theirs is run.
 *
 * <p>Several prompts can be attached at a time, so that calls come from several threads.
 */
@ConsumerType
public interface PromptCommand {
  /** The word that calls it: lower-case letters, digits and {@code -}. */
  String name();

  /** How it is typed, for {@code help}: {@code swap KIND NAME [OPTIONS]}. */
  String usage();

  /** What it does, for {@code help}: a few words, with line breaks where it takes more than one line. */
  String description();

  /**
   * Runs it. May take long: it holds up the prompt that called it, and neither the run nor other prompts.
   *
   * @param words after the name, without their quotes
   * @param out to the one who typed it
   * @return {@link io.hirundo.ExitCode#OK}, {@link io.hirundo.ExitCode#REFUSED}, or {@link io.hirundo.ExitCode#USAGE} for words
   *     that it does not take; the reason is printed as one line before
   * @throws io.hirundo.HirundoException with a message that the prompt prints; counts as refused
   * @throws InterruptedException when the prompt is closed meanwhile
   */
  int run(List<String> words, PrintStream out) throws InterruptedException;

  /**
   * What may be typed next, for completion. Must return at once.
   *
   * @param words after the name; the last one is being typed and may be empty
   * @return candidates for the last word; those that do not begin with what was typed are left out
   */
  default List<String> complete(List<String> words) {
    return List.of();
  }
}
