package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.memory.MemoryTier;
import io.hirundo.checkpointdcp.internal.save.Tier;

/** Saves to memory, and every {@code durableEvery}-th save to storage. */
public final class TieredSaveStrategy implements SaveStrategy {
    private final AsyncSaveStrategy saving;
    private final Tier storage;
    private final MemoryTier memory;
    private final int durableEvery;
    private int savesSinceDurable;

    /** {@code saving}: saves to either tier. */
    public TieredSaveStrategy(AsyncSaveStrategy saving, Tier storage, MemoryTier memory, int durableEvery) {
        this.saving = saving;
        this.storage = storage;
        this.memory = memory;
        this.durableEvery = durableEvery;
    }

    /** Every rank chooses the same tier, because every rank takes part in every save. */
    @Override
    public PendingSave save(TrainingState state) {
        return ++savesSinceDurable < durableEvery ? saving.save(state, memory) : saveDurably(state);
    }

    @Override
    public PendingSave saveDurably(TrainingState state) {
        savesSinceDurable = 0;
        return saving.save(state, storage);
    }

    @Override
    public void close() {
        if (saving.closeOnAllRanks()) {
            memory.close(storage.store());
        }
    }
}
