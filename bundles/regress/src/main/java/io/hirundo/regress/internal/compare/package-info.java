/** Compares two results of a case, and decides whether rounding explains the differences. */
package io.hirundo.regress.internal.compare;
