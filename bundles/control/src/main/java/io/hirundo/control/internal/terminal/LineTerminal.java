package io.hirundo.control.internal.terminal;

import io.hirundo.Reason;
import io.hirundo.control.internal.command.PastedLines;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jline.keymap.KeyMap;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.spi.SystemStream;
import org.jline.terminal.spi.TerminalExt;
import org.jline.utils.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The terminal of the process. One thread reads lines; any thread prints.
 *
 * <p>Ctrl-C keeps its usual meaning: the terminal still turns it into SIGINT.
 */
public final class LineTerminal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LineTerminal.class);
    private static final String WINDOW_CHANGED = "WINCH";

    private final Terminal terminal;
    private final LineReader reader;
    private final PromptHistory history;
    private final Object windowHandler;

    /** Pasted lines that were not read yet; used by the reading thread. */
    private final Deque<String> pasted = new ArrayDeque<>();

    private volatile boolean closed;

    private LineTerminal(Terminal terminal, PromptHistory history, Function<String, List<String>> completion) {
        this.terminal = terminal;
        this.history = history;
        this.reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("hirundo")
                .parser((line, cursor, _) -> TypedLine.of(line, cursor))
                .completer((_, line, candidates) -> complete((TypedLine) line, completion, candidates))
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.INSERT_TAB, false)
                .option(LineReader.Option.AUTO_FRESH_LINE, false)
                .option(LineReader.Option.BRACKETED_PASTE, true)
                .option(LineReader.Option.AUTO_REMOVE_SLASH, false)
                .build();
        history.lines().forEach(reader.getHistory()::add);
        reader.getKeyMaps().get(LineReader.MAIN).bind(new Reference(LineReader.EXPAND_OR_COMPLETE), KeyMap.ctrl('I'));
        reader.getWidgets().put(LineReader.CALLBACK_INIT, this::leaveSignalsToTheKernel);
        windowHandler = Signals.register(WINDOW_CHANGED, () -> terminal.raise(Terminal.Signal.WINCH));
    }

    /** Whether standard input and output are a terminal. */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null without a terminal
    public static boolean isThere() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /**
     * Opens it.
     *
     * @param directory of the run, which stores the history
     * @param completion candidates for the last word of the line up to the cursor; called by the thread that reads
     * @throws IOException if standard input and output are not a terminal
     */
    public static LineTerminal open(Path directory, Function<String, List<String>> completion) throws IOException {
        Terminal terminal = TerminalBuilder.builder()
                .name("hirundo")
                .system(true)
                .provider("ffm")
                // The thread's class loader does not see JLine's bundle.
                .classLoader(TerminalBuilder.class.getClassLoader())
                .dumb(false)
                // The launcher handles signals: it knows what a first and a second Ctrl-C mean.
                .nativeSignals(false)
                .build();
        return of(terminal, directory, completion);
    }

    static LineTerminal of(Terminal terminal, Path directory, Function<String, List<String>> completion) {
        return new LineTerminal(terminal, new PromptHistory(directory), completion);
    }

    /** Makes the terminal send SIGINT: JLine's raw mode would read Ctrl-C as a key. Called when a line starts. */
    private boolean leaveSignalsToTheKernel() {
        Attributes attributes = terminal.getAttributes();
        attributes.setLocalFlag(Attributes.LocalFlag.ISIG, true);
        terminal.setAttributes(attributes);
        return true;
    }

    private static void complete(
            TypedLine typed, Function<String, List<String>> completion, List<Candidate> candidates) {
        String line = typed.line().substring(0, typed.cursor());
        for (String word : completion.apply(line)) {
            // Candidates that end with a sign continue: PATH=, {option: .
            boolean complete = !word.endsWith("=") && !word.endsWith(" ");
            candidates.add(new Candidate(word, word, null, null, null, null, complete));
        }
    }

    /**
     * Reads a line; empty at end of input (Ctrl-D) and after close. Of pasted text, each call returns one line; the second and
     * later ones get no prompt.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    public Optional<String> readLine(String prompt) throws InterruptedException {
        if (!pasted.isEmpty()) {
            return Optional.of(pasted.remove());
        }
        try {
            List<String> lines = PastedLines.of(reader.readLine(prompt));
            lines.forEach(history::add);
            pasted.addAll(lines);
            return Optional.of(pasted.isEmpty() ? "" : pasted.remove());
        } catch (EndOfFileException end) {
            return Optional.empty();
        } catch (UserInterruptException interrupted) {
            throw new InterruptedException("the prompt is closed");
        }
    }

    /** Whether standard error is this terminal, not a file. */
    public boolean showsErrors() {
        return terminal instanceof TerminalExt system && system.getProvider().isSystemStream(SystemStream.Error);
    }

    /** Prints a line, above the one being typed if any. */
    public void printAbove(String line) {
        if (closed) {
            System.out.println(line);
        } else {
            reader.printAbove(line);
        }
    }

    /** Restores the terminal. Interrupt the reading thread first, or it reads until the process ends. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Signals.unregister(WINDOW_CHANGED, windowHandler);
        try {
            terminal.close();
        } catch (IOException failure) {
            LOG.warn("the terminal may be left without echo: {}; type: stty sane", Reason.of(failure));
        }
    }
}
