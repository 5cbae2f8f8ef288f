package __package__;

import io.hirundo.command.Command;
import io.hirundo.testkit.CommandContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a command, one test per clause. */
@HirundoContract
class __Name__CommandTest implements CommandContract {
    @TempDir
    private Path run;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(run.resolve("metrics.jsonl"), """
        {"step":1,"loss":5.5,"tokensPerSecond":100.0,"stepNanos":1000000}
        {"checkpoint":"checkpoints/step-1","step":1}
        {"step":2,"loss":null,"tokensPerSecond":110.0,"stepNanos":1000000,"nonFinite":{"loss":"NaN"}}
        """);
    }

    @Override
    public Command command() {
        return new __Name__Command();
    }

    @Override
    public List<List<String>> workingArguments() {
        return List.of(List.of(run.toString()), List.of(run.toString(), "--best", "2"));
    }

    @Override
    public List<List<String>> failingArguments() {
        return List.of(List.of(run.resolve("none").toString()));
    }
}
