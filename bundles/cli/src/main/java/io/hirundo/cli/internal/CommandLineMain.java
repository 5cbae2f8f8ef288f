package io.hirundo.cli.internal;

import io.hirundo.command.CommandRunner;
import io.hirundo.command.Terminal;
import io.hirundo.lib.terminal.EscapingStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import picocli.CommandLine;

/** The command line's entry point, for the launcher (the process's arguments) and for commands that run other commands. */
@Component(
        service = {ToIntFunction.class, CommandRunner.class},
        property = "hirundo.main:Boolean=true")
public final class CommandLineMain implements ToIntFunction<String[]>, CommandRunner {
    private final BundleContext context;
    private final AtomicInteger nesting = new AtomicInteger();

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
        // A command that runs another one has these streams already, or those of a prompt.
        PrintStream out = System.out;
        PrintStream err = System.err;
        if (nesting.getAndIncrement() == 0) {
            System.setOut(EscapingStream.before(out, Terminal.isThere()));
            System.setErr(EscapingStream.before(err, Terminal.isThere()));
        }
        try {
            return execute(arguments);
        } finally {
            System.out.flush();
            if (nesting.decrementAndGet() == 0) {
                System.setOut(out);
                System.setErr(err);
            }
        }
    }

    private int execute(String... arguments) {
        Failures failures = new Failures(System.err);
        try (CommandTree tree = new CommandTree(context)) {
            CommandLine root = tree.build(arguments);
            root.setParameterExceptionHandler(failures::misunderstood);
            root.setExecutionExceptionHandler((failure, command, parsed) -> failures.exitCode(failure));
            return root.execute(arguments);
        } catch (Error e) {
            // Errors count too: an OutOfMemoryError or a NoClassDefFoundError needs a clear line as much as an
            // exception does.
            return failures.exitCode(e);
        }
    }
}
