package io.hirundo.control.internal.attach;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.control.internal.socket.Reply;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** At a prompt whose user and whose run say what a test puts into the queue. */
class ConversationTest {
    private final List<String> sent = new ArrayList<>();
    private final List<String> shown = new ArrayList<>();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private final Display display = new Display() {
        @Override
        public boolean isPrompting() {
            return true;
        }

        @Override
        public void prompt(String text) {
            shown.add("prompt " + text);
        }

        @Override
        public void print(String line) {
            shown.add(line);
        }

        @Override
        public void close() {
            shown.add("closed");
        }
    };

    private final Conversation conversation = new Conversation(
            sent::add, display, new PrintStream(errors, true, StandardCharsets.UTF_8), Duration.ofMillis(300));

    @Test
    void asksTheRunForCandidatesBetweenCommands() throws InterruptedException {
        var candidates = new CompletableFuture<List<String>>();
        reply(Reply.Kind.GREETING, "tiny");
        events.add(new Event.Completing("sw", candidates));
        reply(Reply.Kind.OUTPUT, "swap");
        reply(Reply.Kind.DONE, "0");
        events.add(new Event.Typed("status"));
        reply(Reply.Kind.OUTPUT, "running");
        reply(Reply.Kind.DONE, "0");
        events.add(new Event.Typed("exit"));

        assertEquals(ExitCode.OK, conversation.run(events));
        assertEquals(List.of("swap"), candidates.join());
        assertEquals(List.of("?sw", ">status"), sent);
        assertEquals(List.of("prompt tiny> ", "running", "prompt tiny> "), shown);
    }

    @Test
    void leavesNobodyWaitingForCandidatesWhenTheRunEnds() throws InterruptedException {
        var candidates = new CompletableFuture<List<String>>();
        var tooLate = new CompletableFuture<List<String>>();
        reply(Reply.Kind.GREETING, "tiny");
        events.add(new Event.Completing("sw", candidates));
        events.add(new Event.Completing("swa", tooLate));
        reply(Reply.Kind.END, "the run has ended");

        assertEquals(ExitCode.OK, conversation.run(events));
        assertEquals(List.of(), candidates.join());
        assertEquals(List.of(), tooLate.join());
        assertEquals(List.of("prompt tiny> ", "closed", "the run has ended"), shown);
        assertEquals("", errors.toString(StandardCharsets.UTF_8));
        assertFalse(sent.contains("?swa"));
    }

    @Test
    void sendsATypedLineThatLooksLikeARequestAsALineToRun() throws InterruptedException {
        reply(Reply.Kind.GREETING, "tiny");
        events.add(new Event.Typed("?status"));
        reply(Reply.Kind.OUTPUT, "there is no command '?status'");
        reply(Reply.Kind.DONE, "2");
        events.add(new Event.Typed("exit"));

        assertEquals(ExitCode.USAGE, conversation.run(events));
        assertEquals(List.of(">?status"), sent);
    }

    @Test
    @Timeout(60)
    void endsIfNothingGreets() throws InterruptedException {
        events.add(new Event.Typed("status"));

        assertEquals(ExitCode.REJECTED, conversation.run(events));
        assertEquals(List.of(), sent);
        assertTrue(
                errors.toString(StandardCharsets.UTF_8).startsWith("hirundo: what answers at the socket is no run"),
                errors::toString);
    }

    private void reply(Reply.Kind kind, String text) {
        events.add(new Event.Answered(new Reply(kind, text)));
    }
}
