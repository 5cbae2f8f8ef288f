package io.hirundo.checkpointdcp.internal;

import io.hirundo.command.Interruption;
import java.util.function.BooleanSupplier;

/** Somebody who may have pressed Ctrl-C, for commands that look whether he has. */
record AskedToStop(BooleanSupplier asked) implements Interruption {
  /** Nobody presses it. */
  static final Interruption NEVER = new AskedToStop(() -> false);

  @Override
  public boolean isRequested() {
    return asked.getAsBoolean();
  }

  @Override
  public Registration onRequest(Runnable action) {
    throw new UnsupportedOperationException("no command on checkpoints asks to be told");
  }
}
