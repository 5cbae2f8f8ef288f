package io.hirundo.parallelpp.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.parallelpp.internal.GPipeFactory;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.InterleavedOptions;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.parallelpp.internal.ZeroBubbleVFactory;
import io.hirundo.parallelpp.internal.csv.ChunkPlacement;
import io.hirundo.parallelpp.internal.csv.CsvFactory;
import io.hirundo.parallelpp.internal.csv.CsvOptions;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Runs the command as the program does, with this bundle's schedules. */
final class Bench implements StrategyRegistry {
    String out;

    @Override
    public List<StrategyInfo> list() {
        return List.of(
                new StrategyInfo("schedule", "interleaved", "test", InterleavedOptions.class),
                new StrategyInfo("schedule", "zb-v", "test", NoOptions.class));
    }

    @Override
    public <S> S create(Class<S> contract, Choice choice, String path) {
        Map<String, Object> options = choice.options();
        return contract.cast(
                switch (choice.name()) {
                    case "gpipe" -> new GPipeFactory().create(new NoOptions());
                    case "1f1b" -> new OneForwardOneBackwardFactory().create(new NoOptions());
                    case "zb-h1" -> new ZeroBubbleH1Factory().create(new NoOptions());
                    case "zb-v" -> new ZeroBubbleVFactory().create(new NoOptions());
                    case "interleaved" ->
                        new InterleavedFactory()
                                .create(new InterleavedOptions(
                                        number(options, "chunks", 2), number(options, "group", 0)));
                    case "csv" ->
                        new CsvFactory()
                                .create(new CsvOptions(
                                        (String) options.get("file"),
                                        "v".equals(options.get("placement")) ? ChunkPlacement.V : ChunkPlacement.LOOP,
                                        (Boolean) options.getOrDefault("fuseBackward", true)));
                    default -> throw new ConfigurationException(path + ": there is no " + choice.name());
                });
    }

    private static int number(Map<String, Object> options, String name, int otherwise) {
        return ((Number) options.getOrDefault(name, otherwise)).intValue();
    }

    int run(String... arguments) {
        PrintStream before = System.out;
        var bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            var line = new CommandLine(new ScheduleCommand(this));
            // Picocli lets no exception through.
            var failures = new ArrayList<RuntimeException>();
            line.setExecutionExceptionHandler((failure, _, _) -> failures.add((RuntimeException) failure) ? -1 : 0);
            line.setParameterExceptionHandler((failure, _) -> failures.add(failure) ? -1 : 0);
            int code = line.execute(arguments);
            if (!failures.isEmpty()) {
                throw failures.getFirst();
            }
            return code;
        } finally {
            System.setOut(before);
            out = bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
