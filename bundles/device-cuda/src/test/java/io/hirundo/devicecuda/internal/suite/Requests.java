package io.hirundo.devicecuda.internal.suite;

import io.hirundo.command.Interruption;
import java.util.ArrayList;
import java.util.List;

/** A user who stops the suite when a test says so. */
final class Requests implements Interruption {
  private final List<Runnable> actions = new ArrayList<>();
  private boolean requested;

  void request() {
    requested = true;
    actions.forEach(Runnable::run);
  }

  int listeners() {
    return actions.size();
  }

  @Override
  public boolean isRequested() {
    return requested;
  }

  @Override
  public Registration onRequest(Runnable action) {
    actions.add(action);
    return () -> actions.remove(action);
  }
}
