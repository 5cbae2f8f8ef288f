package io.hirundo.cli.internal;

import io.hirundo.command.CommandRunner;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import picocli.CommandLine;

/** The command line: what the launcher calls with the arguments of the process, and commands with arguments of their own. */
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
      // Out of memory, a class that a bundle does not see: no less in need of a clear line than an exception.
      return failures.exitCode(e);
    } finally {
      System.out.flush();
    }
  }
}
