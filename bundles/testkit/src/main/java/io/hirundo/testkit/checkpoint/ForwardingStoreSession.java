package io.hirundo.testkit.checkpoint;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/** Forwards all calls to another session; tests override some of them. */
public class ForwardingStoreSession implements StoreSession {
    private final StoreSession real;

    /** Takes ownership of the other session. */
    public ForwardingStoreSession(StoreSession real) {
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
