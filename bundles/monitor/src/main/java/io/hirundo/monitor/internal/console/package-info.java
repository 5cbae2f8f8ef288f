/** The monitor {@code console}: progress for people. */
package io.hirundo.monitor.internal.console;
