package io.hirundo.testkit;

import io.hirundo.command.Interruption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Simulated Ctrl-C: an {@link Interruption} for a command or run under test. Thread-safe. */
public final class CtrlC implements Interruption {
    private final BooleanSupplier isPressed;
    private final List<Runnable> actions = new ArrayList<>();
    private boolean pressed;

    /** Not pressed yet. */
    public CtrlC() {
        this(() -> false);
    }

    private CtrlC(BooleanSupplier isPressed) {
        this.isPressed = isPressed;
    }

    /** Reports a request whenever {@code isPressed} is true. Only {@link #press} runs the registered actions. */
    public static CtrlC when(BooleanSupplier isPressed) {
        return new CtrlC(isPressed);
    }

    /** Requests a stop for good, and runs the registered actions on this thread. */
    public void press() {
        List<Runnable> now;
        synchronized (actions) {
            pressed = true;
            now = List.copyOf(actions);
        }
        now.forEach(Runnable::run);
    }

    /** Number of actions that are still registered. */
    public int listeners() {
        synchronized (actions) {
            return actions.size();
        }
    }

    @Override
    public boolean isRequested() {
        synchronized (actions) {
            if (pressed) {
                return true;
            }
        }
        return isPressed.getAsBoolean();
    }

    @Override
    public Registration onRequest(Runnable action) {
        boolean already;
        synchronized (actions) {
            actions.add(action);
            already = pressed;
        }
        if (already) {
            action.run();
        }
        return () -> {
            synchronized (actions) {
                actions.remove(action);
            }
        };
    }
}
