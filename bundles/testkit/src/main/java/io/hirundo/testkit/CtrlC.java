package io.hirundo.testkit;

import io.hirundo.command.Interruption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The Ctrl-C of a test: an {@link Interruption} for a command or a run under test. Thread-safe. */
public final class CtrlC implements Interruption {
  private final BooleanSupplier isPressed;
  private final List<Runnable> actions = new ArrayList<>();
  private boolean pressed;

  /** Nobody has pressed it yet. */
  public CtrlC() {
    this(() -> false);
  }

  private CtrlC(BooleanSupplier isPressed) {
    this.isPressed = isPressed;
  }

  /** Pressed for each look that finds this true. Actions are run by {@link #press} alone. */
  public static CtrlC when(BooleanSupplier isPressed) {
    return new CtrlC(isPressed);
  }

  /** From now on it is pressed; runs the actions that were registered, on this thread. */
  public void press() {
    List<Runnable> now;
    synchronized (actions) {
      pressed = true;
      now = List.copyOf(actions);
    }
    now.forEach(Runnable::run);
  }

  /** How many actions are registered and not forgotten. */
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
