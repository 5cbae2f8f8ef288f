/** The commands of a running training, and how a line of them is parsed, run and completed. */
package io.hirundo.control.internal.command;
