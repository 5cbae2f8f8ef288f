/** The commands of a running training: parsing, running and completing a line. */
package io.hirundo.control.internal.command;
