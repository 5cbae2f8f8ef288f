package io.hirundo.control.internal.attach;

import io.hirundo.control.internal.terminal.LineTerminal;
import io.hirundo.control.internal.terminal.ReadingThread;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A terminal that turns each requested line into an event. */
final class TerminalDisplay implements Display {
    private final LineTerminal terminal;
    private final BlockingQueue<Event> events;
    private final BlockingQueue<String> prompts = new LinkedBlockingQueue<>();
    private final ReadingThread reading;

    TerminalDisplay(LineTerminal terminal, BlockingQueue<Event> events) {
        this.terminal = terminal;
        this.events = events;
        this.reading = ReadingThread.start(this::read);
    }

    private void read() throws InterruptedException {
        Event event;
        do {
            event = next(prompts.take());
            events.put(event);
        } while (event instanceof Event.Typed);
    }

    private Event next(String prompt) throws InterruptedException {
        Optional<String> line = terminal.readLine(prompt);
        return line.isPresent() ? new Event.Typed(line.get()) : new Event.TypingEnded();
    }

    @Override
    public boolean isPrompting() {
        return true;
    }

    @Override
    public void prompt(String text) {
        prompts.add(text);
    }

    @Override
    public void print(String line) {
        terminal.printAbove(line);
    }

    @Override
    public void close() {
        reading.end();
        terminal.close();
    }
}
