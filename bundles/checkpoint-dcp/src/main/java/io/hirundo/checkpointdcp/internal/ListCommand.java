package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.ExitCode;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.command.Command;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.osgi.service.component.annotations.Component;
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
    footer = {"  hirundo checkpoint list runs/first", "  hirundo checkpoint list runs/first --json"})
public final class ListCommand implements Command {
  @Parameters(paramLabel = NamedCheckpoints.LABEL, description = "Folder of a run, of its checkpoints, or of one of them.")
  private Path path;

  @Option(names = "--json", description = "One JSON object for each, instead of words.")
  private boolean json;

  @Override
  public Integer call() {
    var named = NamedCheckpoints.at(path);
    try {
      List<Found> all = named.withThoseInMemory();
      if (json) {
        printObjects(all);
      } else if (all.isEmpty()) {
        System.out.println("There is no checkpoint in " + named.store().directory() + ".");
      } else {
        printTable(all, System.out);
      }
    } catch (IOException e) {
      throw new CheckpointException(path + " cannot be read: " + Reason.of(e), e);
    }
    return ExitCode.OK;
  }

  private static void printObjects(List<Found> found) throws IOException {
    for (Found one : found) {
      CheckpointInfo info = one.describe().checkpoint();
      var object = new LinkedHashMap<String, Object>();
      object.put("checkpoint", one.folder().toString());
      object.put("step", info.step());
      object.put("bytes", info.bytes());
      object.put("savedAt", Words.savedAt(one.folder()).toString());
      object.put("layout", one.isWhole() ? one.whole().manifest().values().get("layout") : null);
      object.put("whole", one.isWhole());
      object.put("inMemory", one.isInMemory());
      object.put("problem", one.isWhole() ? null : one.problem().getMessage());
      System.out.println(Words.json(object));
    }
  }

  private static void printTable(List<Found> found, PrintStream out) throws IOException {
    var rows = new ArrayList<List<String>>();
    rows.add(List.of("CHECKPOINT", "SAVED", "AGE", "SIZE", "LAYOUT", "STATE"));
    for (Found one : found) {
      rows.add(row(one));
    }
    var line = new StringBuilder();
    for (int column = 0; column < rows.getFirst().size(); column++) {
      int at = column;
      line.append("%-").append(rows.stream().mapToInt(row -> Math.max(1, row.get(at).length())).max().orElseThrow()).append("s  ");
    }
    rows.forEach(row -> out.println(String.format(line.toString(), row.toArray()).stripTrailing()));
  }

  private static List<String> row(Found one) throws IOException {
    Instant saved = Words.savedAt(one.folder());
    return List.of(
        (one.isInMemory() ? CheckpointStore.MEMORY + "/" : "") + one.name(),
        Words.time(saved),
        Words.age(Duration.between(saved, Instant.now())),
        Words.bytes(one.describe().checkpoint().bytes()),
        one.isWhole() ? Words.layout(one.whole().manifest()) : "",
        state(one));
  }

  /** Of one in memory the places of the first rank's data: those of the others are like them, on their nodes. */
  private static String state(Found one) {
    if (!one.isWhole()) {
      return "DAMAGED: " + one.problem().getMessage();
    }
    return one.isInMemory() ? "in memory: " + String.join(", ", one.whole().manifest().files().getFirst().places()) : "whole";
  }
}
