/** Watches the folders {@code plugins/} and {@code conf/} during training. */
package io.hirundo.control.internal.watch;
