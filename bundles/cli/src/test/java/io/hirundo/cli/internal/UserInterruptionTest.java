package io.hirundo.cli.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserInterruptionTest {
    private final UserInterruption interruption = new UserInterruption();
    private final List<String> heard = new ArrayList<>();

    @Test
    void notifiesListeners() {
        interruption.onRequest(() -> heard.add("first"));
        interruption.onRequest(() -> heard.add("second"));
        assertFalse(interruption.isRequested());

        interruption.run();

        assertTrue(interruption.isRequested());
        assertEquals(List.of("first", "second"), heard);
    }

    @Test
    void notifiesALateListenerAtOnce() {
        interruption.run();
        interruption.onRequest(() -> heard.add("late"));
        assertEquals(List.of("late"), heard);
    }

    @Test
    void doesNotNotifyAClosedListener() {
        interruption.onRequest(() -> heard.add("closed")).close();
        interruption.run();
        assertEquals(List.of(), heard);
    }
}
