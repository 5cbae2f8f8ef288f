/** {@code hirundo quickstart}: other commands, in a row, on text that is at hand. */
package io.hirundo.cli.internal.quickstart;
