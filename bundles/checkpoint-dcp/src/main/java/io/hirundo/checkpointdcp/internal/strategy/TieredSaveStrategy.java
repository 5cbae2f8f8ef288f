package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.memory.MemoryTier;
import io.hirundo.checkpointdcp.internal.save.Tier;

/** Saves of which most go to memory, and every so often one to storage. */
public final class TieredSaveStrategy implements SaveStrategy {
    private final AsyncSaveStrategy saving;
    private final Tier storage;
    private final MemoryTier memory;
    private final int durableEvery;
    private int sinceDurable;

    /** {@code saving}: to either tier. */
    public TieredSaveStrategy(AsyncSaveStrategy saving, Tier storage, MemoryTier memory, int durableEvery) {
        this.saving = saving;
        this.storage = storage;
        this.memory = memory;
        this.durableEvery = durableEvery;
    }

    /** All ranks count alike, because all save alike. */
    @Override
    public PendingSave save(TrainingState state) {
        return ++sinceDurable < durableEvery ? saving.save(state, memory) : saveDurably(state);
    }

    @Override
    public PendingSave saveDurably(TrainingState state) {
        sinceDurable = 0;
        return saving.save(state, storage);
    }

    @Override
    public void close() {
        if (saving.closeTogether()) {
            memory.close(storage.store());
        }
    }
}
