/**
 * A prompt with line editing, history and completion on a terminal, by JLine. Output of others appears above the line that the
 * user types.
 */
package io.hirundo.control.internal.terminal;
