package io.hirundo.devicecuda.internal.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.graph.FakeCaptureTarget.FakeCall;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Capture and replay of work that repeats, and handling of work that does not. */
class CapturedWorkTest {
    private static final Consumer<Pass> SIX_CALLS = pass -> calls(pass, "a", "b", "c", "d", "e", "f");

    private final FakeCaptureTarget outlet = new FakeCaptureTarget();
    private final CapturedWork work = new CapturedWork("work", outlet);

    private static void calls(Pass pass, String... kernels) {
        for (String kernel : kernels) {
            pass.call(new FakeCall(kernel, 1));
        }
    }

    /** Runs the work once more and returns the number of launched graphs. */
    private int once(Consumer<Pass> content) {
        outlet.stream.clear();
        int before = outlet.graphsLaunched;
        Pass pass = work.begin();
        content.accept(pass);
        pass.end();
        work.conclude(pass);
        return outlet.graphsLaunched - before;
    }

    private void learn(Consumer<Pass> content) {
        for (int time = 1; time <= 4; time++) {
            assertEquals(0, once(content), "time " + time);
        }
    }

    private String given() {
        return String.join("", outlet.stream.stream().map(Object::toString).toList());
    }

    @Test
    void replaysFromTheFifthPass() {
        learn(SIX_CALLS);
        assertEquals(1, once(SIX_CALLS));
        assertEquals("abcdef", given());
    }

    @Test
    void launchesAGraphAtItsLastCall() {
        learn(SIX_CALLS);
        once(pass -> {
            calls(pass, "a", "b", "c", "d", "e");
            assertEquals("", given());
            calls(pass, "f");
            assertEquals("abcdef", given());
        });
    }

    /** The first of the graphs of 150 calls is launched while the host processes the others. */
    @Test
    void splitsLongWorkIntoSeveralGraphs() {
        Consumer<Pass> many = pass -> calls(pass, "x".repeat(150).split(""));
        learn(many);
        assertEquals(3, once(many));
        assertEquals(150, outlet.stream.size());
    }

    @Test
    void excludesCallsWithVaryingOperands() {
        var time = new long[1];
        Consumer<Pass> varying = pass -> {
            calls(pass, "a", "b", "c", "d");
            pass.call(new FakeCall("v", time[0]++));
            calls(pass, "e", "f", "g", "h");
        };
        learn(varying);
        assertEquals(2, once(varying));
        assertEquals(new FakeCall("v", 4), outlet.stream.get(4));
        assertEquals("abcdvefgh", given());
    }

    @Test
    void usesANewOperandImmediatelyAndExcludesItsCall() {
        learn(SIX_CALLS);
        Consumer<Pass> other = pass -> {
            calls(pass, "a", "b");
            pass.call(new FakeCall("c", 2));
            calls(pass, "d", "e", "f");
        };
        assertEquals(0, once(other));
        assertEquals("abcdef", given());
        assertEquals(new FakeCall("c", 2), outlet.stream.get(2));
        assertEquals(0, once(SIX_CALLS), "two and three calls are too few");
        assertEquals(0, outlet.graphsOpen);
    }

    @Test
    void flushesAllCallsAtACut() {
        Consumer<Pass> waited = pass -> {
            calls(pass, "a", "b", "c", "d", "e");
            pass.cut();
            assertEquals("abcde", given());
            calls(pass, "f", "g", "h", "i");
        };
        learn(waited);
        assertEquals(2, once(waited), "before it and behind");
    }

    @Test
    void splitsSegmentsAtANewCut() {
        Consumer<Pass> plain = pass -> calls(pass, "abcdefgh".split(""));
        learn(plain);
        Consumer<Pass> waited = pass -> {
            calls(pass, "a", "b", "c", "d");
            pass.cut();
            assertEquals("abcd", given());
            calls(pass, "e", "f", "g", "h");
        };
        assertEquals(0, once(waited));
        assertEquals("abcdefgh", given());
        assertEquals(2, once(waited));
    }

    @Test
    void toleratesCutsByOtherThreads() {
        learn(SIX_CALLS);
        Consumer<Pass> seenByOthers = pass -> {
            calls(pass, "a", "b", "c");
            Thread other = new Thread(pass::cut);
            other.start();
            join(other);
            assertEquals("abc", given());
            calls(pass, "d", "e", "f");
        };
        assertEquals(0, once(seenByOthers));
        assertEquals("abcdef", given());
        assertEquals(1, once(SIX_CALLS), "the next time they may not come, or come elsewhere");
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void recapturesAfterAChangedKernel() {
        learn(SIX_CALLS);
        once(SIX_CALLS);
        Consumer<Pass> other = pass -> calls(pass, "a", "b", "X", "d", "e", "f");
        for (int time = 1; time <= 2; time++) {
            assertTrue(outlet.reserved, "once it may be so");
            assertEquals(0, once(other));
            assertEquals("abXdef", given());
        }
        assertEquals(0, outlet.graphsOpen);
        assertFalse(outlet.reserved);
        learn(other);
        assertEquals(1, once(other));
    }

    @Test
    void runsShorterAndLongerWork() {
        learn(SIX_CALLS);
        assertEquals(0, once(pass -> calls(pass, "a", "b", "c")));
        assertEquals("abc", given());
        assertEquals(1, once(SIX_CALLS));
        assertEquals(1, once(pass -> calls(pass, "a", "b", "c", "d", "e", "f", "g")));
        assertEquals("abcdefg", given());
        assertEquals(1, once(SIX_CALLS));
    }

    /** Like steps after a validation. */
    @Test
    void replaysWorkThatDiffersEveryOtherTime() {
        Consumer<Pass> other = pass -> calls(pass, "a", "b");
        int graphs = 0;
        for (int round = 0; round < 20; round++) {
            graphs += once(round % 2 == 0 ? SIX_CALLS : other);
            assertEquals(round % 2 == 0 ? "abcdef" : "ab", given());
        }
        assertEquals(7, graphs);
    }

    @Test
    void submitsCallsSeparatelyWhileTimed() {
        learn(SIX_CALLS);
        outlet.timed = true;
        assertEquals(0, once(SIX_CALLS));
        assertEquals("abcdef", given());
        outlet.timed = false;
        assertEquals(1, once(SIX_CALLS));
    }

    @Test
    void stopsObservingWorkThatAlwaysDiffers() {
        for (int time = 0; time < 4 * 5; time++) {
            int calls = time;
            once(pass -> calls(pass, "x".repeat(10 + calls).split("")));
        }
        assertNull(work.begin());
        assertFalse(outlet.reserved);
    }

    @Test
    void assignsFixedOffsets() {
        Consumer<Pass> content = pass -> {
            Allocation first = pass.take(1024);
            calls(pass, "a", "b");
            Allocation second = pass.take(512);
            calls(pass, "c");
            pass.give(first, true);
            Allocation third = pass.take(1024);
            calls(pass, "d");
            pass.give(second, true);
            pass.give(third, true);
        };
        once(content);
        once(content);
        assertEquals(1536, outlet.reservedBytes);
        once(pass -> {
            Allocation first = pass.take(1024);
            assertEquals(0, first.offsetBytes());
            calls(pass, "a", "b");
            Allocation second = pass.take(512);
            assertEquals(1024, second.offsetBytes());
            calls(pass, "c");
            pass.give(first, true);
            Allocation third = pass.take(1024);
            assertEquals(0, third.offsetBytes(), "where the first was");
            calls(pass, "d");
            pass.give(second, true);
            pass.give(third, true);
        });
        once(content);
        assertEquals(1, once(content));
        assertFalse(outlet.held);
    }

    @Test
    void assignsNoOffsetToSharedOrLongLivedMemory() {
        Consumer<Pass> content = pass -> {
            assertFalse(pass.take(512).hasPlace());
            Allocation shared = pass.take(512);
            assertFalse(shared.hasPlace());
            pass.give(shared, false);
        };
        once(content);
        once(content);
        assertTrue(outlet.reserved);
        assertEquals(0, outlet.reservedBytes);
        once(content);
        assertTrue(outlet.reserved, "it was as planned");
    }

    /** Memory that is still allocated may occupy the next fixed offset. */
    @Test
    void keepsTheRangeOfMemoryThatIsFreedLate() {
        learn(pass -> {
            Allocation first = pass.take(512);
            pass.give(first, true);
            calls(pass, "a");
            Allocation second = pass.take(512);
            pass.give(second, true);
        });
        once(pass -> {
            Allocation first = pass.take(512);
            assertTrue(first.hasPlace());
            calls(pass, "a");
            assertFalse(pass.take(512).hasPlace(), "there is no other");
            pass.give(first, true);
            assertTrue(pass.take(512).hasPlace(), "now there is one");
        });
    }

    @Test
    void removesTheOffsetOfMemoryThatBecomesShared() {
        Consumer<Pass> alone = pass -> {
            Allocation take = pass.take(512);
            calls(pass, "a");
            pass.give(take, true);
        };
        learn(alone);
        once(pass -> {
            Allocation take = pass.take(512);
            calls(pass, "a");
            pass.give(take, false);
        });
        assertFalse(outlet.reserved);
    }

    @Test
    void doesNotCaptureWithoutMemory() {
        outlet.lacksMemory = true;
        once(SIX_CALLS);
        once(SIX_CALLS);
        assertNull(work.begin());
    }

    @Test
    void recapturesAfterMemoryWasReclaimed() {
        learn(SIX_CALLS);
        outlet.reserved = false;
        learn(SIX_CALLS);
        assertEquals(1, outlet.graphsOpen, "those of before are closed");
        assertEquals(1, once(SIX_CALLS));
    }

    @Test
    void continuesWithoutGraphs() {
        outlet.makesNoGraphs = true;
        learn(SIX_CALLS);
        assertNull(work.begin());
        assertFalse(outlet.reserved);
    }

    @Test
    void closeFreesGraphsAndMemory() {
        learn(SIX_CALLS);
        work.close();
        assertEquals(0, outlet.graphsOpen);
        assertFalse(outlet.reserved);
        assertEquals(
                List.of("a", "b", "c", "d", "e", "f"),
                outlet.stream.stream().map(Object::toString).toList());
    }
}
