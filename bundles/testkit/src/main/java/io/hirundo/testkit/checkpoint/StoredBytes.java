package io.hirundo.testkit.checkpoint;

import java.util.Map;

/** The contents of a checkpoint store, keyed by the store's own names. */
public interface StoredBytes {
    /** The current contents. */
    Map<String, byte[]> all();

    /** Replaces an object's bytes, or writes an object that was deleted. */
    void write(String name, byte[] bytes);

    /** Deletes an object. */
    void delete(String name);
}
