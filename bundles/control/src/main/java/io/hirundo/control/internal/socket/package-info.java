/** The socket in the run directory: who connects to it talks to the run. */
package io.hirundo.control.internal.socket;
