package io.hirundo.devicecuda.internal.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.graph.FakeCaptureTarget.FakeCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random repeated work with occasional changes: the stream gets exactly the requested calls, and no memory is used twice. */
class RandomWorkTest {
    private static final int ROUNDS = 40;

    /** An operation; {@code number}: of a kernel, or of the memory to free. */
    private record Deed(Kind kind, int number, long size) {
        private enum Kind {
            CALL,
            TAKE,
            GIVE,
            CUT
        }
    }

    private static final class Script {
        private final Random random;
        private final List<Deed> deeds = new ArrayList<>();

        Script(Random random) {
            this.random = random;
            var open = new ArrayList<Integer>();
            int takes = 0;
            for (int i = 0; i < 120; i++) {
                int draw = random.nextInt(20);
                if (draw < 12) {
                    deeds.add(new Deed(Deed.Kind.CALL, random.nextInt(5), random.nextInt(3)));
                } else if (draw < 15) {
                    open.add(takes);
                    deeds.add(new Deed(Deed.Kind.TAKE, takes++, 512L * (1 + random.nextInt(6))));
                } else if (draw < 19 && !open.isEmpty()) {
                    deeds.add(new Deed(Deed.Kind.GIVE, open.remove(random.nextInt(open.size())), 0));
                } else if (draw == 19) {
                    deeds.add(new Deed(Deed.Kind.CUT, 0, 0));
                }
            }
            // Some outlive the work.
            open.stream().skip(2).forEach(take -> deeds.add(new Deed(Deed.Kind.GIVE, take, 0)));
        }

        /** Changes a random operation. */
        void change() {
            int at = random.nextInt(deeds.size());
            Deed deed = deeds.get(at);
            switch (deed.kind) {
                case CALL ->
                    deeds.set(at, new Deed(Deed.Kind.CALL, random.nextInt(4) == 0 ? 9 : deed.number, deed.size + 1));
                case TAKE -> deeds.set(at, new Deed(Deed.Kind.TAKE, deed.number, deed.size + 512));
                case GIVE -> {
                    deeds.remove(at);
                    deeds.add(at + random.nextInt(deeds.size() - at + 1), deed);
                }
                case CUT -> deeds.remove(at);
            }
        }
    }

    /** An allocated range. */
    private record Placed(long begin, long end) {}

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9})
    @Tag("soak")
    void submitsExactlyTheRequestedCallsWithMoreSeeds(int seed) {
        submitsExactlyTheRequestedCalls(seed);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void submitsExactlyTheRequestedCalls(int seed) {
        for (int variant = 0; variant < 60; variant++) {
            var random = new Random(seed * 1000L + variant);
            var outlet = new FakeCaptureTarget();
            var work = new CapturedWork("random", outlet);
            var script = new Script(random);
            int quiet = 0;
            for (int round = 0; round < ROUNDS; round++) {
                if (random.nextInt(6) == 0) {
                    script.change();
                    quiet = 0;
                }
                int before = outlet.graphsLaunched;
                boolean isLookedAt = once(script, work, outlet);
                quiet++;
                if (isLookedAt && quiet > 8 && outlet.graphsOpen > 0) {
                    assertTrue(outlet.graphsLaunched > before, "graphs are used: round " + round);
                }
            }
            work.close();
            assertEquals(0, outlet.graphsOpen);
        }
    }

    /** Runs the work once; returns whether it is still observed. */
    private static boolean once(Script script, CapturedWork work, FakeCaptureTarget outlet) {
        Pass pass = work.begin();
        if (pass == null) {
            return false;
        }
        outlet.stream.clear();
        var asked = new ArrayList<Call>();
        var takes = new Allocation[script.deeds.size()];
        var places = new Placed[script.deeds.size()];
        for (Deed deed : script.deeds) {
            switch (deed.kind) {
                case CALL -> {
                    var call = new FakeCall("k" + deed.number, deed.size);
                    asked.add(call);
                    pass.call(call);
                }
                case TAKE -> {
                    Allocation take = pass.take(deed.size);
                    takes[deed.number] = take;
                    if (take.hasPlace()) {
                        var place = new Placed(take.offsetBytes(), take.offsetBytes() + deed.size);
                        assertTrue(place.end <= outlet.reservedBytes && outlet.held);
                        for (Placed other : places) {
                            assertTrue(
                                    other == null || other.end <= place.begin || other.begin >= place.end,
                                    "memory is used twice");
                        }
                        places[deed.number] = place;
                    }
                }
                case GIVE -> {
                    // A change has moved the free before the allocation.
                    if (takes[deed.number] != null) {
                        pass.give(takes[deed.number], true);
                        takes[deed.number] = null;
                        places[deed.number] = null;
                    }
                }
                case CUT -> {
                    pass.cut();
                    assertEquals(asked, outlet.stream);
                }
            }
        }
        pass.end();
        assertEquals(asked, outlet.stream);
        work.conclude(pass);
        return true;
    }
}
