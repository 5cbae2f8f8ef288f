package io.hirundo.control.internal.attach;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.control.internal.command.PastedLines;
import io.hirundo.control.internal.socket.CommandReader;
import io.hirundo.control.internal.socket.LineTooLongException;
import io.hirundo.control.internal.socket.NoRunException;
import io.hirundo.control.internal.socket.Reply;
import io.hirundo.control.internal.socket.SocketFile;
import io.hirundo.control.internal.terminal.LineTerminal;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends commands to a run in another process on this machine. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=attach")
@picocli.CommandLine.Command(
        name = "attach",
        description = {
            "A prompt for a training in another process: status, swap precision bf16, checkpoint now, pause, "
                    + "stop.",
            "help lists the commands, exit leaves the prompt while training continues. Without a terminal, commands are read line by line."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo attach quickstart-1",
            "  hirundo attach /data/runs/big -c 'status; swap precision bf16'",
            "  echo 'checkpoint now' | hirundo attach quickstart-1"
        })
public final class AttachCommand implements Command {
    private static final int EVENTS_AHEAD = 64;

    /** A run greets at once, also while it trains or evaluates; a busy machine may delay it. */
    private static final Duration GREETING_WITHIN = Duration.ofSeconds(30);

    /** Tab completion waits no longer than this for a busy machine. */
    private static final int COMPLETION_SECONDS = 3;

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
                    "Commands to run, separated by ';', until one is rejected. Exit code 0 if all were accepted, 1 if one was rejected.")
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
            start(() -> readReplies(channel, events));
            try (var display = display(directory, events);
                    var _ = interruption.onRequest(() -> offer(events, new Event.Interrupted()))) {
                if (commands != null) {
                    events.put(new Event.Typed(String.join(
                            "; ",
                            PastedLines.of(commands).stream()
                                    .filter(line -> !isComment(line))
                                    .toList())));
                    events.put(new Event.TypingEnded());
                }
                return new Conversation(line -> send(channel, line), display, System.err, GREETING_WITHIN).run(events);
            }
        } catch (IOException failure) {
            throw new ConfigurationException(new InactiveRun(directory).message(failure), failure);
        }
    }

    private static boolean isComment(String line) {
        return line.stripLeading().startsWith("#");
    }

    /** Where lines are typed and answers shown; a terminal where there is one. */
    private Display display(Path directory, BlockingQueue<Event> events) throws IOException {
        if (commands != null) {
            return new PlainDisplay(System.out, false);
        }
        if (LineTerminal.isThere()) {
            return new TerminalDisplay(LineTerminal.open(directory, line -> complete(line, events)), events);
        }
        start(() -> readLines(System.in, events));
        return new PlainDisplay(System.out, false);
    }

    /** Requests completion candidates from the run. */
    private static List<String> complete(String line, BlockingQueue<Event> events) {
        var candidates = new CompletableFuture<List<String>>();
        offer(events, new Event.Completing(line, candidates));
        try {
            List<String> found = new ArrayList<>(candidates.get(COMPLETION_SECONDS, TimeUnit.SECONDS));
            Conversation.LEAVE.stream()
                    .filter(word -> !line.isEmpty() && word.startsWith(line))
                    .forEach(found::add);
            return found;
        } catch (ExecutionException | TimeoutException late) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
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

    /** On a daemon thread of its own: a blocked terminal read cannot be interrupted. */
    private static void start(Runnable reading) {
        Thread.ofPlatform().daemon().name("hirundo-attach").start(reading);
    }

    private static void readReplies(SocketChannel channel, BlockingQueue<Event> events) {
        try (var in = new BufferedInputStream(Channels.newInputStream(channel))) {
            var lines = CommandReader.ofReplies(in);
            for (var line = lines.next(); line.isPresent(); line = lines.next()) {
                offer(events, new Event.Answered(Reply.parse(line.get())));
            }
        } catch (LineTooLongException | NoRunException noRun) {
            offer(events, new Event.NoRun(Reason.of(noRun)));
        } catch (IOException closed) {
            // Same as the end of the stream.
        }
        offer(events, new Event.Disconnected());
    }

    private static void readLines(InputStream in, BlockingQueue<Event> events) {
        var lines = new CommandReader(new BufferedInputStream(in));
        try {
            for (var line = lines.next(); line.isPresent(); line = lines.next()) {
                offer(events, new Event.Typed(line.get()));
            }
            offer(events, new Event.TypingEnded());
        } catch (IOException tooLong) {
            offer(events, new Event.Unreadable(Reason.of(tooLong)));
        }
    }

    private static void offer(BlockingQueue<Event> events, Event event) {
        try {
            events.put(event);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
