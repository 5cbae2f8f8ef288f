package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.DataException;
import io.hirundo.command.Command;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Mutants with one defect each, and the clause that detects it. */
class CommandMutantsTest {
    @Test
    void aSoundCommandKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(CommandMutantsTest.class, CommandContract.class);
    }

    @CommandLine.Command(name = "greet", description = "Greets somebody.")
    static class Greet implements Command {
        @Option(names = "--name", description = "whom to greet")
        String name = "world";

        @Override
        public Integer call() throws Exception {
            if (name.isEmpty()) {
                throw new DataException("--name is empty; give somebody's name");
            }
            return 0;
        }
    }

    @HirundoContract
    static class Sound implements CommandContract {
        @Override
        public Command command() {
            return new Greet();
        }

        @Override
        public List<List<String>> workingArguments() {
            return List.of(List.of(), List.of("--name", "Ada"));
        }

        @Override
        public List<List<String>> failingArguments() {
            return List.of(List.of("--name="));
        }
    }

    @Breaks("helpSaysEverything")
    @HirundoContract
    static class SaysNothing extends Sound {
        @CommandLine.Command(name = "hush")
        static class Hush extends Greet {}

        @Override
        public Command command() {
            return new Hush() {
                @Option(names = "--loud")
                boolean loud;
            };
        }
    }

    @Breaks("exitCodesAreKnown")
    @HirundoContract
    static class ReturnsAnything extends Sound {
        @Override
        public Command command() {
            return new Greet() {
                @Override
                public Integer call() throws Exception {
                    super.call();
                    return 42;
                }
            };
        }
    }

    @Breaks("reportsFailures")
    @HirundoContract
    static class Crashes extends Sound {
        @Override
        public Command command() {
            return new Greet() {
                @Override
                public Integer call() {
                    return 0 * name.charAt(0);
                }
            };
        }
    }

    @Breaks("runsAreApart")
    @HirundoContract
    static class IsAlwaysTheSame extends Sound {
        private final Command only = new Greet();

        @Override
        public Command command() {
            return only;
        }
    }
}
