/** The command {@code schedule}: draws schedules as text and as SVG. */
package io.hirundo.parallelpp.internal.command;
