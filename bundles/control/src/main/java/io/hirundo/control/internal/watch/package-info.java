/** The folders {@code plugins/} and {@code conf/}, followed while a training goes on. */
package io.hirundo.control.internal.watch;
