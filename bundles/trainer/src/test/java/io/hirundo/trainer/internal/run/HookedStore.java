package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.storefolder.internal.FolderFactory;
import io.hirundo.storefolder.internal.FolderOptions;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Copies in a folder, where a test has something happen before each. */
final class HookedStore implements StrategyFactory<FolderOptions, CheckpointStore> {
  /** Before a checkpoint is copied; may block or fail. */
  volatile Consumer<CheckpointInfo> before = checkpoint -> {};

  @Override
  public Class<FolderOptions> optionsType() {
    return FolderOptions.class;
  }

  @Override
  public Class<CheckpointStore> contract() {
    return CheckpointStore.class;
  }

  @Override
  public CheckpointStore create(FolderOptions options) {
    CheckpointStore folder = new FolderFactory().create(options);
    return run -> new Session(folder.open(run));
  }

  /** Copies that are there, newest first. */
  static List<StoredCheckpoint> copies(Path folder, String run) {
    try (StoreSession session = new FolderFactory().create(new FolderOptions(folder.toString())).open(run)) {
      return session.list();
    }
  }

  private final class Session implements StoreSession {
    private final StoreSession real;

    Session(StoreSession real) {
      this.real = real;
    }

    @Override
    public String place() {
      return real.place();
    }

    @Override
    public List<StoredCheckpoint> list() {
      return real.list();
    }

    @Override
    public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
      before.accept(checkpoint);
      real.put(checkpoint, doneBytes);
    }

    @Override
    public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
      real.get(copy, into, doneBytes);
    }

    @Override
    public void delete(StoredCheckpoint copy) {
      real.delete(copy);
    }

    @Override
    public void close() {
      real.close();
    }
  }
}
