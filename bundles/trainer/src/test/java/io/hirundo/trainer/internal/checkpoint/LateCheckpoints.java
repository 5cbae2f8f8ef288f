package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

/** Checkpoints that become durable, or fail, when a test says so or when a thread waits for them. */
final class LateCheckpoints implements StrategyFactory<NoOptions, CheckpointStrategy> {
    /** The save of one rank. */
    static final class Late implements PendingSave {
        final int rank;
        final CheckpointInfo info;
        private final CompletableFuture<CheckpointInfo> end = new CompletableFuture<>();

        Late(int rank, CheckpointInfo info) {
            this.rank = rank;
            this.info = info;
        }

        void succeed() {
            end.complete(info);
        }

        void fail() {
            end.completeExceptionally(new CheckpointException("the disk is full"));
        }

        @Override
        public boolean isDurable() {
            return end.isDone() && !end.isCompletedExceptionally();
        }

        @Override
        public boolean hasEnded() {
            return end.isDone();
        }

        @Override
        public CheckpointInfo awaitDurable() {
            succeed();
            try {
                return end.join();
            } catch (CompletionException e) {
                throw (CheckpointException) e.getCause();
            }
        }
    }

    /** The saves of all ranks. */
    final List<Late> saves = new CopyOnWriteArrayList<>();

    /** The saves of one step, by any rank. */
    List<Late> of(long step) {
        return saves.stream().filter(save -> save.info.step() == step).toList();
    }

    @Override
    public CheckpointStrategy create(NoOptions options) {
        return Session::new;
    }

    private final class Session implements CheckpointSession {
        private final CheckpointContext context;

        Session(CheckpointContext context) {
            this.context = context;
        }

        @Override
        public PendingSave save(TrainingState state) {
            var info = new CheckpointInfo(context.directory().resolve("step-" + state.step()), state.step(), 1);
            var late = new Late(context.world().rank(), info);
            saves.add(late);
            return late;
        }

        @Override
        public List<CheckpointInfo> list() {
            return List.of();
        }

        @Override
        public Map<String, Object> values(CheckpointInfo checkpoint) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void load(CheckpointInfo checkpoint, List<StateShard> into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            saves.forEach(Late::succeed);
        }
    }
}
