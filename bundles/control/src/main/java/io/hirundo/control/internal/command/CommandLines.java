package io.hirundo.control.internal.command;

import io.hirundo.ExitCode;
import java.io.InputStream;
import java.io.PrintStream;
import org.apache.felix.gogo.runtime.CommandNotFoundException;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;

/**
 * Runs lines of commands, one after the other: a Gogo session with one line for each failure. Several commands stand on
 * a line with {@code ;} between them; the first that fails is the last that is run.
 */
public final class CommandLines implements AutoCloseable {
  private final CommandSession session;
  private final PrintStream out;

  /**
   * A new session.
   *
   * @param out receives what commands say, failures too
   */
  public CommandLines(CommandProcessor processor, PrintStream out) {
    this.out = out;
    session = processor.createSession(InputStream.nullInputStream(), out, out);
    session.put("SCOPE", RunCommands.SCOPE + ":*");
  }

  /**
   * Runs a line, and waits for it.
   *
   * @return an exit code: {@link ExitCode#OK}, {@link ExitCode#REFUSED}, {@link ExitCode#USAGE} for what cannot be
   *     understood
   */
  public int run(String line) {
    try {
      Syntax.require(line);
      Object result = session.execute(line);
      if (result != null) {
        out.println(result);
      }
      return ExitCode.OK;
    } catch (RefusedException refusal) {
      return fail(ExitCode.REFUSED, "refused: " + refusal.getMessage());
    } catch (MisunderstoodException failure) {
      return fail(ExitCode.USAGE, failure.getMessage());
    } catch (CommandNotFoundException failure) {
      return fail(ExitCode.USAGE, "there is no command '" + failure.getCommand() + "'; help lists them");
    } catch (IllegalArgumentException failure) {
      // Gogo found the command, and no form of it that takes these words.
      return fail(ExitCode.USAGE, "the command does not take these words; help shows how it is meant");
    } catch (Exception failure) {
      return fail(ExitCode.REFUSED, "failed: " + DecisionWait.firstLine(failure));
    }
  }

  private int fail(int exitCode, String message) {
    out.println(message);
    return exitCode;
  }

  /** Interrupts a command that is still waiting. */
  @Override
  public void close() {
    session.close();
  }
}
