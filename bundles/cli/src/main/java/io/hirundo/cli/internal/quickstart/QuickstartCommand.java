package io.hirundo.cli.internal.quickstart;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.CommandRunner;
import io.hirundo.command.ShellLine;
import io.hirundo.data.TextFormat;
import io.hirundo.train.RunFolder;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains a small model from scratch. Prints every command that it runs, so that the user can repeat each one. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=quickstart")
@picocli.CommandLine.Command(
        name = "quickstart",
        description = {
            "Trains a tokenizer and a model of 1.9 million parameters on the documentation of Java's own library, cleaned, "
                    + "and generates a sample. Takes one to five minutes on two cores.",
            "Tokenizer and dataset are cached: a second run starts with the training."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo quickstart",
            "  hirundo quickstart --data ~/texts --steps 4000 --name my-texts",
            "  hirundo quickstart --all --steps 20000",
            "  hirundo quickstart --tp 2 --pp 2 --schedule zb-v"
        })
public final class QuickstartCommand implements Command {
    /** A prompt from the documentation of Java's library that leaves the continuation open. */
    private static final String PROMPT = "A thread";

    private static final int SAMPLES = 5;

    private static final Map<String, String> OWN_SETTINGS = Map.of(
            "run", "give --name and --run-dir",
            "run.name", "give --name",
            "run.directory", "give --run-dir",
            "model.export", "run the commands that it prints one by one");

    /** Warm-up takes one in this many steps. */
    private static final int WARM_UP_SHARE = 10;

    private final CommandRunner commands;

    @Option(
            names = "--data",
            paramLabel = "PATH",
            description =
                    "Text, JSON lines, zip archive or folder, used unchanged. Default: the cleaned documentation of the JDK's lib/src.zip.")
    private Path data;

    @Option(
            names = "--format",
            paramLabel = "NAME",
            description = "Of --data: auto, jsonl or text, as in hirundo data tokenize. Default: auto.")
    private String format;

    @Option(
            names = "--text-field",
            paramLabel = "NAME",
            description = "Of --data: field of JSON lines that holds the text. Default: text.")
    private String textField;

    @Option(
            names = "--steps",
            paramLabel = "N",
            description = "Training steps. Default: ${DEFAULT-VALUE}.",
            defaultValue = "1200")
    private long steps;

    @Option(
            names = "--name",
            paramLabel = "RUN",
            description = "Name of the run. Default: the first free of quickstart-1, -2, ...")
    private String name;

    @Option(
            names = "--run-dir",
            paramLabel = "DIR",
            description = "Folder of the runs. Default: ${DEFAULT-VALUE}.",
            defaultValue = "runs")
    private Path runs;

    @Option(names = "--all", description = "Tokenize the full text, not a sample of 20 MB.")
    private boolean all;

    @Option(
            names = "--set",
            paramLabel = "PATH=VALUE",
            description = "Override a configuration setting, as in hirundo train.")
    private List<String> assignments = List.of();

    @Mixin
    private QuickstartMesh mesh = new QuickstartMesh();

    @Option(
            names = "--prompt",
            paramLabel = "TEXT",
            description = "Prompt for the sample. Default: \"A thread\"; with --data, the sample has no prompt.")
    private String prompt;

    @Activate
    public QuickstartCommand(@Reference CommandRunner commands) {
        this.commands = commands;
    }

    @Override
    public Integer call() {
        TextFormat.of(format, textField);
        if (data != null) {
            return run(data, KeptData.of(data, all), List.of(), System.out);
        }
        if (format != null || textField != null) {
            throw new ConfigurationException(
                    "--format, --text-field: describe the text of --data; add --data PATH, or omit them");
        }
        SampleText sample = SampleText.find();
        var kept = KeptData.of(sample.sources(), all);
        return run(kept.text(), kept, sample.clean(kept), System.out);
    }

    /** The text format of {@code --data}, for the commands that read it. */
    private List<String> withFormat(String... command) {
        var words = new ArrayList<>(List.of(command));
        if (format != null) {
            words.addAll(List.of("--format", format));
        }
        if (textField != null) {
            words.addAll(List.of("--text-field", textField));
        }
        return words;
    }

    /** {@code clean}: the command that makes the text; empty if the user has given some. */
    private int run(Path text, KeptData kept, List<String> clean, PrintStream out) {
        rejectOwnSettings();
        String run = name == null ? firstFreeName() : name;
        int rejection = check(run, kept);
        if (rejection != ExitCode.OK) {
            return rejection;
        }
        Path model = runs.resolve(run).resolve("model");
        List<List<String>> script = new ArrayList<>();
        if (!clean.isEmpty()) {
            script.add(clean);
        }
        script.addAll(List.of(
                withFormat(
                        "data",
                        "train-tokenizer",
                        "--data",
                        text.toString(),
                        "--out",
                        kept.tokenizer().toString(),
                        "--vocab",
                        KeptData.VOCABULARY,
                        "--if-missing"),
                withFormat(kept.tokenize(text).toArray(String[]::new)),
                train(run, kept),
                generate(model)));
        if (!clean.isEmpty()) {
            script.add(List.of(
                    "eval",
                    "--model",
                    model.toString(),
                    "--data",
                    kept.heldOut().toString(),
                    "--batch",
                    "8"));
        }
        script.add(List.of("report", runs.resolve(run).toString()));
        for (List<String> command : script) {
            out.println("\n$ " + ShellLine.of(command));
            int code = commands.run(command.toArray(String[]::new));
            if (code != ExitCode.OK) {
                return code;
            }
        }
        out.println("\nTokenizer  " + kept.tokenizer());
        out.println("Dataset    " + kept.dataset() + ".bin, .idx");
        out.println("Run        " + runs.resolve(run).toAbsolutePath()
                + " (config.json, metrics.jsonl, report.html, checkpoints, model)");
        out.println("\nContinue:  " + ShellLine.of("generate", "--model", model.toString(), "--prompt", "TEXT"));
        String configuration =
                runs.resolve(run).resolve(RunFolder.CONFIGURATION).toString();
        out.println("           "
                + ShellLine.of("train", configuration, "--set", "run.name=longer", "--set", "training.steps=10000"));
        return ExitCode.OK;
    }

    /** Validates the run before quickstart spends half a minute on a tokenizer and a dataset. */
    private int check(String run, KeptData kept) {
        Path directory = runs.resolve(run);
        if (Files.exists(directory.resolve(RunFolder.CONFIGURATION))) {
            throw new ConfigurationException("--name: the run " + directory
                    + " exists already; give another name, or continue it: "
                    + ShellLine.of(
                            "train", directory.resolve(RunFolder.CONFIGURATION).toString(), "--resume"));
        }
        var command = new ArrayList<>(List.of("config", "show", "--check", "--quiet"));
        command.addAll(configuration(run, kept));
        return commands.run(command.toArray(String[]::new));
    }

    /** Later commands use the run and its exported model. */
    private void rejectOwnSettings() {
        OWN_SETTINGS.forEach((setting, remedy) -> {
            if (assignments.stream().anyMatch(assignment -> assignment.startsWith(setting + "="))) {
                throw new ConfigurationException("--set " + setting + ": quickstart sets it; " + remedy);
            }
        });
    }

    private List<String> generate(Path model) {
        var command =
                new ArrayList<>(List.of("generate", "--model", model.toString(), "--max-tokens", "120", "--seed", "2"));
        if (!beginning().isEmpty()) {
            command.addAll(List.of("--prompt", beginning()));
        }
        return command;
    }

    /** As a JSON string, the syntax of assignments. */
    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.chars().forEach(character -> {
            if (character == '"' || character == '\\') {
                quoted.append('\\').append((char) character);
            } else if (character < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", character));
            } else {
                quoted.append((char) character);
            }
        });
        return quoted.append('"').toString();
    }

    private String beginning() {
        return prompt == null ? data == null ? PROMPT : "" : prompt;
    }

    private List<String> train(String run, KeptData kept) {
        var command = new ArrayList<>(List.of("train"));
        command.addAll(configuration(run, kept));
        return command;
    }

    private List<String> configuration(String run, KeptData kept) {
        var command = new ArrayList<>(List.of(
                KeptData.home().resolve("conf").resolve("quickstart.yaml").toString()));
        set(command, "run.name=" + run);
        set(command, "run.directory=" + runs);
        set(command, "training.steps=" + steps);
        set(command, "learningRate.options.warmupSteps=" + steps / WARM_UP_SHARE);
        set(command, "data.source.options.blend[0].prefix=" + kept.dataset());
        set(command, "data.tokenizer.options.file=" + kept.tokenizer());
        if (mesh.isOneRank(assignments)) {
            set(command, "samples.everySteps=" + Math.max(1, Math.ceilDiv(steps, SAMPLES)));
            set(command, "samples.prompts=[" + quoted(beginning()) + "]");
        }
        mesh.addTo(command, assignments);
        assignments.forEach(assignment -> set(command, assignment));
        return command;
    }

    private static void set(List<String> command, String assignment) {
        command.add("--set");
        command.add(assignment);
    }

    private String firstFreeName() {
        int number = 1;
        while (Files.exists(runs.resolve("quickstart-" + number))) {
            number++;
        }
        return "quickstart-" + number;
    }
}
