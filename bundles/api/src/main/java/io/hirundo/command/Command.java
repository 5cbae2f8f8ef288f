package io.hirundo.command;

import java.util.concurrent.Callable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A command of the {@code hirundo} program: a prototype-scoped OSGi service with the property {@link #PATH} and picocli
 * annotations. {@code call} returns an exit code of {@code io.hirundo.ExitCode}, or throws a {@code HirundoException}.
 */
@ConsumerType
public interface Command extends Callable<Integer> {
    /** Service property: the words that invoke it, for instance {@code train} or {@code data tokenize}. */
    String PATH = "hirundo.command";
}
