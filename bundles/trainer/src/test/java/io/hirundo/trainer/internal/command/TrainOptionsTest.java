package io.hirundo.trainer.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.fixture.ChangingCatalog;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Options of {@code train} that exclude or need each other. They are rejected before the configuration is read. */
class TrainOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --resume --start-from a        | --start-from: begins a new run, and --resume continues one; give one of them
                    --start-from a@7 --resume      | --start-from: begins a new run, and --resume continues one; give one of them
                    --start-with data              | --start-with: data needs --start-from RUN; add it
                    --resume --start-with weights  | --start-with: weights needs --start-from RUN; add it
                    --at 7                         | --at: 7 needs --resume; add --resume
                    --start-from a --at 7          | --at: 7 needs --resume; add --resume
                    --resume --at -1               | --at: -1 is wrong (allowed: the step of a checkpoint)
                    --lr-schedule keep             | --lr-schedule: keep needs --resume or --start-with data, because a new run begins its schedule; leave it out
                    --start-from a --lr-schedule stretch | --lr-schedule: stretch needs --resume or --start-with data, because a new run begins its schedule; leave it out
                    """)
    void rejectsOptionsThatDoNotFit(String options, String message) {
        var command = new TrainCommand(null, new ChangingCatalog(), new CtrlC(), null);
        String[] words = Stream.concat(Stream.of("none.yaml"), Stream.of(options.split(" ")))
                .toArray(String[]::new);
        new CommandLine(command).parseArgs(words);
        var failure = assertThrows(ConfigurationException.class, command::call);
        assertEquals(message, failure.getMessage());
    }
}
