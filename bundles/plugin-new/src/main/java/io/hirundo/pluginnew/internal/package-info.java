/** The command {@code plugin new}. */
package io.hirundo.pluginnew.internal;
