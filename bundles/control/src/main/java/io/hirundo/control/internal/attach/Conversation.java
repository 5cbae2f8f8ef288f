package io.hirundo.control.internal.attach;

import io.hirundo.ExitCode;
import io.hirundo.control.internal.socket.NoRunException;
import io.hirundo.control.internal.socket.Reply;
import io.hirundo.control.internal.socket.Request;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs commands in sequence: sends the next one after the previous one is answered. Runs on one thread, fed by a queue.
 */
final class Conversation {
    static final Set<String> LEAVE = Set.of("exit", "quit");

    /** Sends a line to the run. */
    @FunctionalInterface
    interface Sender {
        void send(String line) throws IOException;
    }

    private final Sender sender;
    private final Display display;
    private final PrintStream err;
    private final Duration greetingWithin;

    /** Typed before the previous command was answered. */
    private final Deque<String> waiting = new ArrayDeque<>();

    /** Waits for completion candidates; null if nobody does. */
    private CompletableFuture<List<String>> completing;

    private final List<String> found = new ArrayList<>();
    private String prompt = "";
    private boolean greeted;
    private boolean answering;
    private boolean leaving;
    private int exitCode = ExitCode.OK;

    /**
     * A conversation on a display; errors go to {@code err}.
     *
     * @param greetingWithin a run that has not greeted after this time is none
     */
    Conversation(Sender sender, Display display, PrintStream err, Duration greetingWithin) {
        this.greetingWithin = greetingWithin;
        this.sender = sender;
        this.display = display;
        this.err = err;
    }

    /**
     * Runs until either side ends it.
     *
     * @return {@link ExitCode#OK} if every command was accepted, else the code of the last one that was not
     */
    int run(BlockingQueue<Event> events) throws InterruptedException {
        boolean open = true;
        long deadlineNanos = System.nanoTime() + greetingWithin.toNanos();
        while (open) {
            open = handle(greeted ? events.take() : nextBefore(deadlineNanos, events));
            if (open && greeted && !answering) {
                open = sendNext();
            }
        }
        return exitCode;
    }

    private Event nextBefore(long deadlineNanos, BlockingQueue<Event> events) throws InterruptedException {
        Event event = events.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        return event != null
                ? event
                : new Event.NoRun(
                        new NoRunException("it has not greeted after " + greetingWithin.toSeconds() + " seconds")
                                .getMessage());
    }

    private boolean handle(Event event) {
        return switch (event) {
            case Event.Typed typed -> {
                waiting.add(typed.line());
                yield true;
            }
            case Event.TypingEnded _ -> {
                leaving = true;
                yield true;
            }
            case Event.Completing request -> complete(request);
            case Event.Unreadable unreadable -> {
                err.println("hirundo: " + unreadable.reason());
                exitCode = ExitCode.USAGE;
                yield false;
            }
            case Event.Answered answer -> answered(answer.reply());
            case Event.NoRun noRun -> {
                noRun(noRun.message());
                yield false;
            }
            case Event.Disconnected _ -> {
                disconnected("the run has ended");
                yield false;
            }
            case Event.Interrupted _ -> false;
        };
    }

    /** Rejects completion while a command is being answered: there is no prompt then. */
    private boolean complete(Event.Completing request) {
        if (!greeted || answering) {
            request.candidates().complete(List.of());
            return true;
        }
        completing = request.candidates();
        answering = true;
        return send(new Request(Request.Kind.COMPLETE, request.line().replace('\n', ' ')));
    }

    private boolean answered(Reply reply) {
        String wrong = outOfTurn(reply.kind());
        if (wrong != null) {
            noRun(new NoRunException(wrong).getMessage());
            return false;
        }
        if (completing != null && completed(reply)) {
            return true;
        }
        switch (reply.kind()) {
            case GREETING -> {
                greeted = true;
                prompt = reply.text() + "> ";
                prompt();
            }
            case OUTPUT -> display.print(reply.text());
            case DONE -> {
                answering = false;
                reply.exitCode().stream().filter(code -> code != ExitCode.OK).forEach(code -> exitCode = code);
                prompt();
            }
            case END -> {
                disconnected(reply.text());
                return false;
            }
        }
        return true;
    }

    /** Why a run does not send such a reply now; null if it may. */
    private String outOfTurn(Reply.Kind kind) {
        return switch (kind) {
            case GREETING -> greeted ? "it greets twice" : null;
            case OUTPUT -> greeted ? null : "the first line is no greeting";
            case DONE -> answering ? null : "it answers a command that was not sent";
            case END -> null;
        };
    }

    private void noRun(String message) {
        display.close();
        if (completing != null) {
            completing.complete(List.of());
        }
        err.println("hirundo: " + message);
        exitCode = ExitCode.REJECTED;
    }

    /** Whether a reply belongs to the completion request. */
    private boolean completed(Reply reply) {
        if (reply.kind() == Reply.Kind.OUTPUT) {
            found.add(reply.text());
        } else if (reply.kind() == Reply.Kind.DONE) {
            completing.complete(List.copyOf(found));
            completing = null;
            found.clear();
            answering = false;
        }
        return reply.kind() != Reply.Kind.END;
    }

    private void disconnected(String why) {
        boolean prompting = display.isPrompting();
        display.close();
        if (completing != null) {
            completing.complete(List.of());
            answering = false;
        }
        if (answering || !waiting.isEmpty() || !greeted) {
            err.println("hirundo: " + why + (answering ? "; the last command was not answered" : ""));
            exitCode = exitCode == ExitCode.OK ? ExitCode.REJECTED : exitCode;
        } else if (prompting) {
            display.print(why);
        }
    }

    /** Whether to wait for more events. */
    private boolean sendNext() {
        while (!waiting.isEmpty() && waiting.peek().isBlank()) {
            waiting.remove();
            prompt();
        }
        if (waiting.isEmpty()) {
            return !leaving;
        }
        String line = waiting.remove().strip();
        if (LEAVE.contains(line)) {
            return false;
        }
        answering = true;
        return send(new Request(Request.Kind.RUN, line));
    }

    private boolean send(Request request) {
        try {
            sender.send(request.line());
        } catch (IOException gone) {
            disconnected("the run has ended");
            return false;
        }
        return true;
    }

    private void prompt() {
        if (waiting.isEmpty() && !leaving) {
            display.prompt(prompt);
        }
    }
}
