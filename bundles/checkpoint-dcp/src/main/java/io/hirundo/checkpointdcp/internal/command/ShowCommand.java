package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointText;
import io.hirundo.command.Command;
import io.hirundo.command.Quantity;
import io.hirundo.lib.terminal.WrappedText;
import io.hirundo.tensor.Shape;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is in a checkpoint. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=checkpoint show")
@picocli.CommandLine.Command(
        name = "show",
        description = {
            "Shows what is in a checkpoint, of a run in its newest whole one: step, layout, the strategies and bundles that made it, and "
                    + "all tensors with their types, shapes and the files of the ranks that hold them."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo checkpoint show runs/first",
            "  hirundo checkpoint show runs/first/checkpoints/step-00000500 --pieces",
            "  hirundo checkpoint show runs/first --json | jq .values.configuration"
        })
public final class ShowCommand implements Command {
    private static final int NAME_COLUMN = 23;

    @Parameters(
            paramLabel = NamedCheckpoints.LABEL,
            description = "Folder of a run, of its checkpoints, or of one of them.")
    private Path path;

    @Option(
            names = "--pieces",
            description = "Also where each piece of a tensor begins and ends, and where it is in its file.")
    private boolean pieces;

    @Option(names = "--json", description = "The whole manifest as one JSON object, instead of words.")
    private boolean json;

    @Override
    public Integer call() {
        var named = NamedCheckpoints.someAt(path);
        SavedCheckpoint checkpoint = named.found().stream()
                .filter(CheckpointFolder::isWhole)
                .findFirst()
                .orElseThrow(() -> named.found().getFirst().problem())
                .whole();
        if (json) {
            System.out.println(CheckpointText.json(checkpoint.manifest()));
        } else {
            show(checkpoint, System.out);
        }
        return ExitCode.OK;
    }

    private void show(SavedCheckpoint checkpoint, PrintStream out) {
        Manifest manifest = checkpoint.manifest();
        line(out, "Checkpoint", checkpoint.folder());
        line(out, "Step", manifest.step());
        line(out, "Saved", CheckpointText.time(CheckpointText.savedAt(checkpoint.folder())));
        line(
                out,
                "Size",
                Quantity.bytes(manifest.dataBytes()) + " in " + manifest.files().size() + " data files, checksums of "
                        + Quantity.bytes(manifest.chunkBytes()) + " each");
        line(out, "Layout", CheckpointText.layout(manifest));
        line(
                out,
                "Written by",
                manifest.header().createdBy() + ", format " + manifest.header().version());
        new TreeMap<>(manifest.values()).forEach((name, value) -> show(name, value, out));
        out.println();
        for (SavedTensor tensor : manifest.tensors()) {
            String text = String.format(
                    Locale.ROOT,
                    "%-5s %-16s %s in %s",
                    tensor.dtype(),
                    new Shape(tensor.shape()),
                    tensor.key(),
                    files(manifest, tensor));
            out.println(WrappedText.of(text, NAME_COLUMN));
            if (pieces) {
                tensor.shards().forEach(shard -> out.println("    " + describe(manifest, shard)));
            }
        }
    }

    private static void show(String name, Object value, PrintStream out) {
        switch (name) {
            // The layout is above; a whole configuration is for programs.
            case "layout", "configuration" -> {}
            case "strategies" -> {
                out.println("strategies");
                if (value instanceof Map<?, ?> strategies) {
                    strategies.forEach((path, strategy) -> line(out, "  " + path, strategy));
                }
            }
            default -> line(out, name, value instanceof String word ? word : CheckpointText.json(value));
        }
    }

    private static void line(PrintStream out, String name, Object value) {
        out.printf(Locale.ROOT, "%-24s %s%n", name, value);
    }

    /** The data files that hold pieces of it, which are those of the ranks. */
    private static String files(Manifest manifest, SavedTensor tensor) {
        return tensor.shards().stream()
                .filter(shard -> shard.place().byteLength() > 0)
                .map(shard -> manifest.files().get(shard.place().file()).name())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static String describe(Manifest manifest, SavedShard shard) {
        var place = shard.place();
        return shard.piece() + " in " + manifest.files().get(place.file()).name() + ", " + place.byteLength()
                + " bytes from " + place.byteOffset() + " on";
    }
}
