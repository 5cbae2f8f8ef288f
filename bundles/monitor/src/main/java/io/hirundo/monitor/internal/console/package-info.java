/** The monitor that people watch. */
package io.hirundo.monitor.internal.console;
