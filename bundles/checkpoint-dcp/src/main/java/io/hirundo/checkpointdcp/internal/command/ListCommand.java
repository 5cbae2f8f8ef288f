package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.CheckpointText;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import io.hirundo.lib.files.RuinedMark;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the checkpoints of a run. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=checkpoint list")
@picocli.CommandLine.Command(
        name = "list",
        description = {
            "Lists the checkpoints of a run, newest first: when they were saved, sizes, layouts, and whether they are whole as far as "
                    + "manifests and lengths of files tell; of those in memory, where they are. 'hirundo checkpoint verify' reads every byte."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo checkpoint list runs/first",
            "  hirundo checkpoint list runs/first --copies",
            "  hirundo checkpoint list runs/first --json"
        })
public final class ListCommand implements Command {
    private final StrategyRegistry registry;
    private final Interruption interruption;

    @Parameters(
            paramLabel = NamedCheckpoints.LABEL,
            description = "Folder of a run, of its checkpoints, or of one of them.")
    private Path path;

    @Option(names = "--json", description = "One JSON object for each, instead of words.")
    private boolean json;

    @Option(
            names = "--copies",
            description = "Also those in the run's store, which is asked for them; what keeps it from that is said.")
    private boolean copies;

    @Activate
    public ListCommand(@Reference StrategyRegistry registry, @Reference Interruption interruption) {
        this.registry = registry;
        this.interruption = interruption;
    }

    /** A store may answer slowly. */
    @Override
    public Integer call() {
        return interruption.call("hirundo-list", this::list).orElse(ExitCode.INTERRUPTED);
    }

    private int list() {
        var named = NamedCheckpoints.at(path);
        Path directory = named.store().directory();
        try {
            List<CheckpointFolder> all = named.withThoseInMemory();
            if (json) {
                printObjects(all);
            } else if (all.isEmpty()) {
                System.out.println("There is no checkpoint in " + directory + ".");
            } else {
                printTable(all, System.out);
            }
            if (copies) {
                print(RemoteCopies.of(runOf(directory), registry));
            }
        } catch (IOException e) {
            throw new CheckpointException(path + " cannot be read: " + Reason.of(e), e);
        }
        return ExitCode.OK;
    }

    /** Of a folder of checkpoints, which need not be right in that of the run: those in memory have one deeper. */
    private static Path runOf(Path directory) {
        for (Path folder = directory; folder != null; folder = folder.getParent()) {
            if (Files.isRegularFile(folder.resolve(RunFolder.CONFIGURATION))) {
                return folder;
            }
        }
        return directory.endsWith(RunFolder.CHECKPOINTS) ? directory.getParent() : directory;
    }

    private static void printObjects(List<CheckpointFolder> found) throws IOException {
        for (CheckpointFolder one : found) {
            CheckpointInfo info = one.describe().checkpoint();
            var object = new LinkedHashMap<String, Object>();
            object.put("checkpoint", one.folder().toString());
            object.put("step", info.step());
            object.put("bytes", info.bytes());
            object.put("savedAt", CheckpointText.savedAt(one.folder()).toString());
            object.put("layout", one.isWhole() ? one.whole().manifest().values().get("layout") : null);
            object.put("whole", one.isWhole());
            object.put("inMemory", one.isInMemory());
            object.put("mark", mark(one).orElse(null));
            object.put(
                    "linkedTo",
                    one.isLinked() ? Files.readSymbolicLink(one.folder()).toString() : null);
            object.put("problem", one.isWhole() ? null : one.problem().getMessage());
            System.out.println(CheckpointText.json(object));
        }
    }

    private void print(RemoteCopies in) {
        if (json) {
            in.copies().forEach(copy -> System.out.println(CheckpointText.json(object(in.place(), copy))));
        } else if (!in.copies().isEmpty()) {
            System.out.println();
            var rows = new ArrayList<>(List.of(List.of("COPY", "SIZE", "PLACE")));
            in.copies().forEach(copy -> rows.add(List.of(copy.name(), Quantity.bytes(copy.bytes()), in.place())));
            print(rows, System.out);
        } else if (in.problem().isEmpty()) {
            System.out.println("There is no copy in " + in.place() + ".");
        }
        if (!in.problem().isEmpty()) {
            System.err.println("Copies cannot be listed: " + in.problem());
        }
    }

    private static Map<String, Object> object(String place, StoredCheckpoint copy) {
        var object = new LinkedHashMap<String, Object>();
        object.put("copy", copy.name());
        object.put("step", copy.step());
        object.put("bytes", copy.bytes());
        object.put("place", place);
        return object;
    }

    private static void printTable(List<CheckpointFolder> found, PrintStream out) throws IOException {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("CHECKPOINT", "SAVED", "AGE", "SIZE", "LAYOUT", "STATE"));
        for (CheckpointFolder one : found) {
            rows.add(row(one));
        }
        print(rows, out);
    }

    private static void print(List<List<String>> rows, PrintStream out) {
        var line = new StringBuilder();
        for (int column = 0; column < rows.getFirst().size(); column++) {
            int at = column;
            line.append("%-")
                    .append(rows.stream()
                            .mapToInt(row -> Math.max(1, row.get(at).length()))
                            .max()
                            .orElseThrow())
                    .append("s  ");
        }
        rows.forEach(
                row -> out.println(String.format(line.toString(), row.toArray()).stripTrailing()));
    }

    private static List<String> row(CheckpointFolder one) throws IOException {
        Instant saved = CheckpointText.savedAt(one.folder());
        return List.of(
                (one.isInMemory() ? CheckpointStore.MEMORY + "/" : "") + one.name(),
                CheckpointText.time(saved),
                CheckpointText.age(Duration.between(saved, Instant.now())),
                Quantity.bytes(one.describe().checkpoint().bytes()),
                one.isWhole() ? CheckpointText.layout(one.whole().manifest()) : "",
                state(one));
    }

    /** Of one in memory the places of the first rank's data: those of the others are like them, on their nodes. */
    private static String state(CheckpointFolder one) throws IOException {
        String linked = one.isLinked() ? ", linked to " + Files.readSymbolicLink(one.folder()) : "";
        if (!one.isWhole()) {
            return "DAMAGED" + linked + ": " + one.problem().getMessage();
        }
        String mark = mark(one).map(reason -> ", marked: " + reason).orElse("");
        return (one.isInMemory()
                        ? "in memory: "
                                + String.join(
                                        ", ",
                                        one.whole()
                                                .manifest()
                                                .files()
                                                .getFirst()
                                                .places())
                        : "whole" + linked)
                + mark;
    }

    /** Why a run should not continue from it. */
    private static Optional<String> mark(CheckpointFolder one) throws IOException {
        if (!one.isWhole()) {
            return Optional.empty();
        }
        Map<String, Object> values = one.whole().manifest().values();
        Optional<String> later = RuinedMark.read(one.folder());
        return later.or(() -> Stream.of("ruined", "vanished")
                .map(values::get)
                .filter(Objects::nonNull)
                .map(Object::toString)
                .findFirst());
    }
}
