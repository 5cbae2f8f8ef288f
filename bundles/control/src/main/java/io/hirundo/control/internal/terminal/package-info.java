/**
 * A prompt with line editing, history and completion on a real terminal, by JLine. What others print while somebody types appears
 * above the line that is being typed.
 */
package io.hirundo.control.internal.terminal;
