package io.hirundo.cli.internal;

import io.hirundo.command.CommandRunner;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import picocli.CommandLine;

/** The command line's entry point, for the launcher (the process's arguments) and for commands that run other commands. */
@Component(service = {ToIntFunction.class, CommandRunner.class}, property = "hirundo.main:Boolean=true")
public final class CommandLineMain implements ToIntFunction<String[]>, CommandRunner {
  private final BundleContext context;

  @Activate
  public CommandLineMain(BundleContext context) {
    this.context = context;
  }

  @Override
  public int applyAsInt(String[] arguments) {
    return run(arguments);
  }

  @Override
  public int run(String... arguments) {
    Failures failures = new Failures(System.err);
    try (CommandTree tree = new CommandTree(context)) {
      CommandLine root = tree.build(arguments);
      root.setParameterExceptionHandler(failures::misunderstood);
      root.setExecutionExceptionHandler((failure, command, parsed) -> failures.exitCode(failure));
      return root.execute(arguments);
    } catch (Error e) {
      // Errors count too: an OutOfMemoryError or a NoClassDefFoundError needs a clear line as much as an exception does.
      return failures.exitCode(e);
    } finally {
      System.out.flush();
    }
  }
}
