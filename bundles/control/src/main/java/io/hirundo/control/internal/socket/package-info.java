/** The control socket in the run directory: clients send commands to the run through it. */
package io.hirundo.control.internal.socket;
