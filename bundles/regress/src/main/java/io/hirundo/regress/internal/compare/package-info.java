/** Tells what differs between two results of a case, and whether rounding explains it. */
package io.hirundo.regress.internal.compare;
