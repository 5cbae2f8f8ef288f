package io.hirundo.command;

import java.util.concurrent.Callable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A command of the {@code hirundo} program: an OSGi service of prototype scope with the property {@link #PATH}, its class
 * annotated for picocli. {@code call} returns an exit code of {@code io.hirundo.ExitCode}, or throws a {@code
 * HirundoException}.
 */
@ConsumerType
public interface Command extends Callable<Integer> {
  /** Service property: the words that call it, {@code train} or {@code data tokenize} for instance. */
  String PATH = "hirundo.command";
}
