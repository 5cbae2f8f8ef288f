package io.hirundo.control.internal.attach;

import io.hirundo.ConfigurationException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.ShellLine;
import io.hirundo.control.internal.socket.Reply;
import io.hirundo.control.internal.socket.SocketFile;
import io.hirundo.train.RunFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Talks to a run that goes on in another process of this machine. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=attach")
@picocli.CommandLine.Command(
    name = "attach",
    description = {
      "A prompt for a training that goes on in another process: status, swap precision bf16, checkpoint now, pause, "
          + "stop.",
      "help lists the commands, exit leaves; the training goes on. Without a terminal, commands are read line by line."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  hirundo attach quickstart-1",
      "  hirundo attach /data/runs/big -c 'status; swap precision bf16'",
      "  echo 'checkpoint now' | hirundo attach quickstart-1"
    })
public final class AttachCommand implements Command {
  private static final int EVENTS_AHEAD = 64;

  private final Interruption interruption;

  @Parameters(paramLabel = "RUN", description = "Directory of the run, or its name.")
  private String run;

  @Option(
      names = "--run-dir",
      paramLabel = "DIR",
      description = "Folder of the runs. Default: ${DEFAULT-VALUE}.",
      defaultValue = "runs")
  private Path runs;

  @Option(
      names = {"-c", "--commands"},
      paramLabel = "COMMANDS",
      description =
          "Runs these, ';' between them, until one is refused. Exit code 0 if all were granted, 1 if one was refused.")
  private String commands;

  @Activate
  public AttachCommand(@Reference Interruption interruption) {
    this.interruption = interruption;
  }

  @Override
  public Integer call() throws InterruptedException {
    Path directory = new RunFolders(runs).find(run);
    try (SocketChannel channel = connect(directory)) {
      BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS_AHEAD);
      read(
          Channels.newReader(channel, StandardCharsets.UTF_8),
          events,
          line -> new Event.Answered(Reply.parse(line)),
          new Event.Disconnected());
      if (commands == null) {
        var keyboard = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        read(keyboard, events, Event.Typed::new, new Event.TypingEnded());
      } else {
        events.put(new Event.Typed(String.join("; ", commands.lines().toList())));
        events.put(new Event.TypingEnded());
      }
      boolean prompting = commands == null && isTerminal();
      var conversation = new Conversation(line -> send(channel, line), System.out, System.err, prompting);
      try (var _ = interruption.onRequest(() -> offer(events, new Event.Interrupted()))) {
        return conversation.run(events);
      }
    } catch (IOException failure) {
      throw new ConfigurationException(
          "no training goes on in " + directory.toAbsolutePath().normalize() + " on this machine ("
              + failure.getMessage()
              + "); go on with it: "
              + ShellLine.of("train", directory.resolve(RunFolder.CONFIGURATION).toString(), "--resume"),
          failure);
    }
  }

  private static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  private static SocketChannel connect(Path directory) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(SocketFile.addressIn(directory));
      return channel;
    } catch (IOException | RuntimeException failure) {
      channel.close();
      throw failure;
    }
  }

  private static void send(SocketChannel channel, String line) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /**
   * Lines become events, on a thread of their own that may stay blocked: nothing can interrupt one who reads a
   * terminal.
   */
  private static void read(Reader from, BlockingQueue<Event> events, Function<String, Event> event, Event last) {
    Thread.ofPlatform()
        .daemon()
        .name("hirundo-attach")
        .start(
            () -> {
              try (var lines = new BufferedReader(from)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  events.put(event.apply(line));
                }
              } catch (IOException closed) {
                // The same as the end.
              } catch (InterruptedException e) {
                return;
              }
              offer(events, last);
            });
  }

  private static void offer(BlockingQueue<Event> events, Event event) {
    try {
      events.put(event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
