/** {@code hirundo attach}: the client side of the control socket. */
package io.hirundo.control.internal.attach;
