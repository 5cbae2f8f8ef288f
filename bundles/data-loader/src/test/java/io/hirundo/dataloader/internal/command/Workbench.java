package io.hirundo.dataloader.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.command.Interruption;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.dataloader.internal.text.DocumentFormat;
import io.hirundo.dataloader.internal.text.FileTextReader;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.testkit.CtrlC;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine;

/** Runs commands as the program does, with a tokenizer of its own. */
final class Workbench implements StrategyRegistry {
    final Path folder;
    ByteTokenizer tokenizer = new ByteTokenizer(OptionalInt.of(256), OptionalInt.of(257));
    /** The last tokenizer that a command opened. */
    Choice choice;

    /** How often a command may ask before its run is interrupted. */
    final AtomicInteger patience = new AtomicInteger(Integer.MAX_VALUE);

    String out;
    String err;

    Workbench(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<StrategyInfo> list() {
        return List.of(new StrategyInfo("tokenizer", "huggingface", "test", NoOptions.class));
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        if (contract != Tokenizer.class
                || !choice.name().equals("huggingface")
                || !(choice.options().get("file") instanceof String)) {
            throw new AssertionError(choice);
        }
        this.choice = choice;
        tokenizer.closed.set(false);
        return contract.cast(tokenizer);
    }

    private Interruption ctrlC() {
        return CtrlC.when(() -> patience.decrementAndGet() < 0);
    }

    private static FileTextReader reader() {
        return new FileTextReader(
                new DocumentFormat(Layout.AUTO, "text", DocumentFormat.DEFAULT_MAX_DOCUMENT_BYTES), Stop.NEVER);
    }

    int tokenize(String... arguments) {
        return run(new TokenizeCommand(this, reader(), ctrlC()), arguments);
    }

    int clean(String... arguments) {
        return run(new CleanCommand(reader(), ctrlC()), arguments);
    }

    int inspect(String... arguments) {
        return run(new InspectCommand(this, ctrlC()), arguments);
    }

    int verify(String... prefixes) {
        return run(verifyCommand(), prefixes);
    }

    VerifyCommand verifyCommand() {
        return new VerifyCommand(ctrlC());
    }

    private int run(Object command, String... arguments) {
        PrintStream oldOut = System.out;
        PrintStream oldErr = System.err;
        var newOut = new ByteArrayOutputStream();
        var newErr = new ByteArrayOutputStream();
        System.setOut(new PrintStream(newOut, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(newErr, true, StandardCharsets.UTF_8));
        try {
            var line = new CommandLine(command);
            // Picocli lets no exception through.
            var failures = new ArrayList<RuntimeException>();
            line.setExecutionExceptionHandler((failure, _, _) -> failures.add((RuntimeException) failure) ? -1 : 0);
            line.setParameterExceptionHandler((failure, _) -> failures.add(failure) ? -1 : 0);
            int code = line.execute(arguments);
            if (!failures.isEmpty()) {
                if (failures.getFirst() instanceof HirundoException failure
                        && failure.exitCode() == ExitCode.INTERRUPTED) {
                    newErr.writeBytes((failure.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
                    return failure.exitCode();
                }
                throw failures.getFirst();
            }
            return code;
        } finally {
            System.setOut(oldOut);
            System.setErr(oldErr);
            out = newOut.toString(StandardCharsets.UTF_8);
            err = newErr.toString(StandardCharsets.UTF_8);
        }
    }

    String write(String name, String text) {
        try {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String path(String name) {
        return folder.resolve(name).toString();
    }

    /** Names of the files in a folder, hidden ones too. */
    List<String> files(String name) {
        try (var files = Files.list(folder.resolve(name))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
