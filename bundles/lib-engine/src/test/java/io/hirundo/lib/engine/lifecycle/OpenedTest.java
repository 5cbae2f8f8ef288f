package io.hirundo.lib.engine.lifecycle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenedTest {
    private final List<String> closed = new ArrayList<>();
    private final RuntimeException stuck = new IllegalStateException("stuck");
    private final RuntimeException jammed = new IllegalStateException("jammed");

    @Test
    void closesTheNewestFirstAndOnce() {
        var opened = new Opened();
        assertEquals("device", opened.add("device", closed::add));
        opened.add("queue", closed::add);

        opened.close();
        opened.close();

        assertEquals(List.of("queue", "device"), closed);
    }

    @Test
    void closesAllIfSomeFail() {
        Opened opened = withTwoThatFail();

        assertSame(stuck, assertThrows(IllegalStateException.class, opened::close));
        assertArrayEquals(new Throwable[] {jammed}, stuck.getSuppressed());
        assertEquals(List.of("queue", "device"), closed);
    }

    @Test
    void keepsTheOriginalFailure() {
        var failure = new IllegalArgumentException("cannot open");

        withTwoThatFail().closeAfter(failure);

        assertArrayEquals(new Throwable[] {stuck}, failure.getSuppressed());
        assertEquals(List.of("queue", "device"), closed);
    }

    private Opened withTwoThatFail() {
        var opened = new Opened();
        opened.add("device", closed::add);
        opened.add(jammed, failure -> {
            throw failure;
        });
        opened.add("queue", closed::add);
        opened.add(stuck, failure -> {
            throw failure;
        });
        return opened;
    }
}
