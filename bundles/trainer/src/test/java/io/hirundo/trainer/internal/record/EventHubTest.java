package io.hirundo.trainer.internal.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("reads messages of the root logger")
class EventHubTest {
    private static final TrainingEvent EVENT = new TrainingEvent.RunFinished(3, false);
    private static final TrainingEvent OTHER = new TrainingEvent.EvaluationCompleted(3, "validation", 2.5, 512);

    private final Logger logger = Logger.getLogger(MissedEvents.class.getName());
    private final LogLines log = new LogLines();
    private RuntimeException failure;

    private static final class LogLines extends Handler {
        private final List<LogRecord> lines = new ArrayList<>();

        @Override
        public void publish(LogRecord line) {
            lines.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        logger.addHandler(log);
    }

    @AfterEach
    void forget() {
        logger.removeHandler(log);
    }

    /** Ignores all but one kind of event, like many monitors. */
    private void fail(TrainingEvent event) {
        if (event == EVENT && failure != null) {
            throw failure;
        }
    }

    @Test
    void deliversEventsDespiteAFailingMonitor() {
        var heard = new ArrayList<TrainingEvent>();
        TrainingListener failing = event -> {
            throw new IllegalStateException("a monitor that fails on purpose");
        };
        new EventHub(() -> List.of(failing, heard::add), () -> List.of(failing, heard::add)).on(EVENT);
        assertEquals(List.of(EVENT, EVENT), heard);
    }

    @Test
    void supportsChangingListeners() {
        var heard = new ArrayList<TrainingEvent>();
        var present = new ArrayList<TrainingListener>();
        var hub = new EventHub(List::of, () -> present);
        hub.on(EVENT);
        present.add(heard::add);
        hub.on(EVENT);
        assertEquals(1, heard.size());
    }

    @Test
    void reportsAFailingMonitorOnceUntilItWorksAgain() {
        TrainingListener monitor = this::fail;
        var hub = new EventHub(() -> List.of(monitor), List::of);
        failure = new StorageException("cannot write it");
        hub.on(EVENT);
        hub.on(OTHER);
        hub.on(EVENT);
        assertEquals(1, log.lines.size());
        assertTrue(
                log.lines.getFirst().getMessage().endsWith(": cannot write it"),
                log.lines.getFirst().getMessage());
        assertNull(log.lines.getFirst().getThrown(), "a full disk needs no stack trace");

        failure = null;
        hub.on(EVENT);
        hub.on(EVENT);
        assertEquals(2, log.lines.size());
        assertTrue(
                log.lines.getLast().getMessage().endsWith("works again; it missed 2 events"),
                log.lines.getLast().getMessage());

        failure = new StorageException("cannot write it");
        hub.on(EVENT);
        assertEquals(3, log.lines.size());
        var atEnd = assertThrows(StorageException.class, hub.missed()::requireFilesWhole);
        assertTrue(atEnd.getMessage().contains(" missed 3 events (cannot write it)"), atEnd.getMessage());
    }

    @Test
    void logsTheStackTraceOfADefectOnce() {
        TrainingListener monitor = this::fail;
        var hub = new EventHub(() -> List.of(monitor), List::of);
        failure = new StorageException("cannot write it");
        hub.on(EVENT);
        failure = new IllegalStateException("a defect on purpose");
        hub.on(EVENT);
        hub.on(EVENT);
        assertEquals(2, log.lines.size());
        assertSame(failure, log.lines.getLast().getThrown());
    }

    @Test
    void succeedsIfNoFileIsIncomplete() {
        TrainingListener monitor = this::fail;
        var hub = new EventHub(() -> List.of(monitor), List::of);
        hub.missed().requireFilesWhole();
        assertEquals(List.of(), log.lines);

        failure = new IllegalStateException("a defect on purpose");
        hub.on(EVENT);
        hub.missed().requireFilesWhole();
        assertTrue(
                log.lines.getLast().getMessage().contains(" missed 1 event ("),
                log.lines.getLast().getMessage());
    }

    @Test
    void trainsOnWithoutALogAndReportsItAtTheEnd(@TempDir Path folder) {
        var run = new SteeredRun(folder.resolve("run"));
        Path logFile =
                folder.resolve("run").resolve("steered").resolve("rank-0").resolve("log.txt");
        run.after(2, () -> {
            try {
                Files.delete(logFile);
                Files.delete(logFile.getParent());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        var lost = assertThrows(StorageException.class, run::run);
        assertTrue(lost.getMessage().contains("run-log missed "), lost.getMessage());
        assertTrue(lost.getMessage().contains(logFile.toString()), lost.getMessage());
        assertEquals(new SteeredRun(folder.resolve("other")).run().losses, run.losses);
        assertEquals(1, run.events(TrainingEvent.RunFinished.class).size());
        assertEquals(1, log.lines.size());
    }
}
