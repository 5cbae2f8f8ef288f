package io.hirundo.trainer.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyCatalog;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.export.CheckpointExport;
import io.hirundo.trainer.internal.record.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts a checkpoint to a model folder. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=checkpoint convert")
@picocli.CommandLine.Command(
        name = "convert",
        description = {
            "Writes the model in a checkpoint as the run would at its end: a Hugging Face folder, with the "
                    + "tokenizer. Works for every layout. The model may be larger than memory. The run must have ended."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo checkpoint convert runs/first/checkpoints/step-00000500 --to my-model"})
public final class CheckpointConvertCommand implements Command {
    private final StrategyCatalog catalog;
    private final Interruption interruption;

    @Parameters(
            paramLabel = "CHECKPOINT",
            description = "Folder of a checkpoint inside its run directory, which holds config.json.")
    private Path checkpoint;

    @Option(names = "--to", paramLabel = "DIR", required = true, description = "Folder for the model; must not exist.")
    private Path into;

    @Option(
            names = "--set",
            paramLabel = "PATH=VALUE",
            description = "Sets one value of the run's configuration, device=cpu for instance. Repeatable.")
    private List<String> assignments = List.of();

    @Activate
    public CheckpointConvertCommand(@Reference StrategyCatalog catalog, @Reference Interruption interruption) {
        this.catalog = catalog;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-convert", this::convert).orElse(ExitCode.INTERRUPTED);
    }

    private int convert() {
        Path folder = checkpoint.toAbsolutePath().normalize();
        Path run = folder.getNameCount() < 3 ? null : folder.getParent().getParent();
        if (run == null || !Files.isDirectory(folder) || !Files.exists(run.resolve(RunFolder.CONFIGURATION))) {
            throw new CheckpointException(
                    checkpoint + " is not a checkpoint of a run; give runs/NAME/checkpoints/step-NNNNNNNN");
        }
        if (Files.exists(into)) {
            throw new ConfigurationException("--to: " + into + " exists already; give another folder, or remove it");
        }
        try {
            OutputFiles.requireFolder(into);
        } catch (IOException failure) {
            throw new StorageException("--to: cannot write " + OutputFiles.explain(into, failure), failure);
        }
        RunConfiguration configuration =
                new ConfigurationBinder(catalog).read(run.resolve(RunFolder.CONFIGURATION), assignments);
        // Opening a run's checkpoints removes unfinished ones, so no other process may be writing any.
        try (var _ = RunDirectory.ofEnded(run, checkpoint)) {
            var written = new CheckpointExport(catalog, configuration)
                    .write(folder, into.toAbsolutePath().normalize());
            String compared = written.compared()
                    .map(found -> String.format(
                            Locale.ROOT, "; it computes what its files say, %.2g off", found.difference()))
                    .orElse("");
            System.out.println(into + ": the model of step " + written.step() + ", from " + checkpoint + compared);
        }
        return ExitCode.OK;
    }
}
