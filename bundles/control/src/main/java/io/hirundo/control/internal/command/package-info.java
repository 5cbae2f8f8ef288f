/** What can be asked of a running training, as Gogo commands, and how a line of them is run. */
package io.hirundo.control.internal.command;
