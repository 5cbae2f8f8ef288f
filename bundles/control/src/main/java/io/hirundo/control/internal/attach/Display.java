package io.hirundo.control.internal.attach;

/** What the user of a conversation sees. */
interface Display extends AutoCloseable {
    /** Whether a user types at a prompt, not a script. */
    boolean isPrompting();

    /** Asks for the next line. */
    void prompt(String text);

    /** Shows a line of an answer. */
    void print(String line);

    /** Ends input; leaves the cursor at the beginning of a row. */
    @Override
    void close();
}
