package io.hirundo.command;

import java.io.PrintStream;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A command at the prompt of a running training ({@code hirundo attach}, {@code hirundo train --shell}). Any bundle can register
 * one as an OSGi service, in the process that leads the run. The prompt runs registered commands only. Built-in commands take
 * precedence over commands of the same name.
 *
 * <p>Several prompts can be attached, so calls may come from several threads.
 */
@ConsumerType
public interface PromptCommand {
    /** The word that invokes it: lower-case letters, digits and {@code -}. */
    String name();

    /** Synopsis for {@code help}: {@code swap KIND NAME [OPTIONS]}. */
    String usage();

    /** Short description for {@code help}; may contain line breaks. */
    String description();

    /**
     * Runs the command. It may block: only the calling prompt waits, not the run or other prompts.
     *
     * @param words arguments after the name, unquoted
     * @param out output of the calling prompt
     * @return {@link io.hirundo.ExitCode#OK}, {@link io.hirundo.ExitCode#REJECTED}, or {@link io.hirundo.ExitCode#USAGE} for invalid
     *     arguments; prints the reason as one line first
     * @throws io.hirundo.HirundoException the prompt prints the message and treats it as rejected
     * @throws InterruptedException if the prompt is closed meanwhile
     */
    int run(List<String> words, PrintStream out) throws InterruptedException;

    /**
     * Completion candidates. Must return immediately.
     *
     * @param words after the name; the last one is incomplete and may be empty
     * @return candidates for the last word; the prompt drops those with another prefix
     */
    default List<String> complete(List<String> words) {
        return List.of();
    }
}
