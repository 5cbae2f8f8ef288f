/** {@code hirundo attach}: the other end of the socket. */
package io.hirundo.control.internal.attach;
