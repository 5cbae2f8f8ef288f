package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.CommandRunner;
import io.hirundo.command.Interruption;
import io.hirundo.itests.program.Profiles;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.PrototypeServiceFactory;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import picocli.CommandLine;

/** Commands are services that can be registered and unregistered; a third party's works like ours. */
@ExtendWith(PaxExamExtension.class)
public class CommandLineIT {
    @Inject
    private BundleContext context;

    @Inject
    private CommandRunner runner;

    @Inject
    private Interruption interruption;

    @Configuration
    public Option[] configuration() {
        return Profiles.options("minimal");
    }

    @Test
    public void aCommandIsFoundByItsPathAndMadeAnewForEachRun() {
        Shout.made.clear();
        ServiceRegistration<Command> shout = register("demo shout");
        try {
            assertEquals(ExitCode.OK, runner.run("demo", "shout", "--times", "2"));
            assertEquals(ExitCode.OK, runner.run("demo", "shout"));
        } finally {
            shout.unregister();
        }
        assertEquals(List.of(2, 1), Shout.made.stream().map(made -> made.times).toList());
        assertNotSame(Shout.made.getFirst(), Shout.made.getLast());
        assertEquals(ExitCode.USAGE, runner.run("demo", "shout"), "gone with its service");
    }

    @Test
    public void aGroupShowsWhatIsInIt() {
        ServiceRegistration<Command> shout = register("demo shout");
        try {
            String err = errorsOf(() -> assertEquals(ExitCode.USAGE, runner.run("demo")));
            assertTrue(err.contains("Makes some noise."), err);
        } finally {
            shout.unregister();
        }
    }

    @Test
    public void aForeseenFailureIsOneLineAndItsExitCode() {
        ServiceRegistration<Command> shout = register("demo shout");
        try {
            String err = errorsOf(() -> assertEquals(ExitCode.DATA, runner.run("demo", "shout", "--times", "0")));
            assertEquals("hirundo: nothing to shout\n", err);
        } finally {
            shout.unregister();
        }
    }

    @Test
    public void trainingHasNoPromptWithoutTheBundleOfIt() {
        String synthetic = Profiles.distro()
                .resolve("../../../examples/synthetic.yaml")
                .normalize()
                .toString();
        String err = errorsOf(() -> assertEquals(ExitCode.CONFIGURATION, runner.run("train", synthetic, "--shell")));
        assertTrue(err.contains("--shell: this profile lacks the bundle io.hirundo.control"), err);
    }

    @Test
    public void theUsersInterruptionIsPassedOn() throws Exception {
        List<ServiceReference<Runnable>> launcherCalls =
                List.copyOf(context.getServiceReferences(Runnable.class, "(hirundo.interrupt=true)"));
        assertEquals(1, launcherCalls.size());

        context.getService(launcherCalls.getFirst()).run();

        assertTrue(interruption.isRequested());
    }

    private ServiceRegistration<Command> register(String path) {
        return context.registerService(
                Command.class,
                new PrototypeServiceFactory<Command>() {
                    @Override
                    public Command getService(Bundle bundle, ServiceRegistration<Command> registration) {
                        return new Shout();
                    }

                    @Override
                    public void ungetService(
                            Bundle bundle, ServiceRegistration<Command> registration, Command service) {}
                },
                FrameworkUtil.asDictionary(Map.of(Command.PATH, path)));
    }

    private static String errorsOf(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** A command of a third party. */
    @CommandLine.Command(description = "Makes some noise.")
    static final class Shout implements Command {
        static final List<Shout> made = new ArrayList<>();

        @CommandLine.Option(names = "--times", defaultValue = "1")
        private int times;

        @Override
        public Integer call() {
            if (times == 0) {
                throw new DataException("nothing to shout");
            }
            made.add(this);
            return ExitCode.OK;
        }
    }
}
