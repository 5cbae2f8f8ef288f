package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.storefolder.internal.FolderFactory;
import io.hirundo.storefolder.internal.FolderOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.testkit.ForwardingStoreSession;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Copies in a folder, where a test has something happen before each. */
final class HookedStore implements StrategyFactory<FolderOptions, CheckpointStore> {
  /** Before a checkpoint is copied; may block or fail. */
  volatile Consumer<CheckpointInfo> before = checkpoint -> {};
  /** Before a copy is fetched; may block or fail. */
  volatile Runnable beforeFetch = () -> {};
  /** Sessions that are. */
  final AtomicInteger open = new AtomicInteger();

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
    return run -> {
      open.incrementAndGet();
      return new Session(folder.open(run));
    };
  }

  /** Copies that are there, newest first. */
  static List<StoredCheckpoint> copies(Path folder, String run) {
    try (StoreSession session = new FolderFactory().create(new FolderOptions(folder.toString())).open(run)) {
      return session.list();
    }
  }

  private final class Session extends ForwardingStoreSession {
    Session(StoreSession real) {
      super(real);
    }

    @Override
    public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
      before.accept(checkpoint);
      super.put(checkpoint, doneBytes);
    }

    @Override
    public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
      beforeFetch.run();
      super.get(copy, into, doneBytes);
    }

    @Override
    public void close() {
      super.close();
      open.decrementAndGet();
    }
  }
}
