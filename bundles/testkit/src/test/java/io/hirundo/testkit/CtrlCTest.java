package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CtrlCTest {
    private final List<String> done = new ArrayList<>();

    @Test
    void whoRegisteredIsToldUntilItForgets() {
        var ctrlC = new CtrlC();
        ctrlC.onRequest(() -> done.add("first"));
        ctrlC.onRequest(() -> done.add("forgotten")).close();
        assertFalse(ctrlC.isRequested());
        assertEquals(1, ctrlC.listeners());

        ctrlC.press();
        ctrlC.onRequest(() -> done.add("later"));
        assertTrue(ctrlC.isRequested());
        assertEquals(List.of("first", "later"), done);
    }

    @Test
    void aConditionIsAskedAtEveryLook() {
        var patience = new AtomicInteger(1);
        var ctrlC = CtrlC.when(() -> patience.getAndDecrement() <= 0);
        assertFalse(ctrlC.isRequested());
        assertTrue(ctrlC.isRequested());
    }
}
