package io.hirundo.paralleltp.internal.residual;

/** Rows of all ranks on their way to this one, in the form T. */
public interface Gathering<T> {
    /** All rows, for later work of the queue. Not to be written to. */
    T whole();

    /** Gives the memory back, once the messages have ended. To be called once. */
    void close();

    /** Rows that are here already. */
    static <T> Gathering<T> of(GatherBuffers<T> here) {
        return new Gathering<>() {
            @Override
            public T whole() {
                return here.operand();
            }

            @Override
            public void close() {
                here.close();
            }
        };
    }
}
