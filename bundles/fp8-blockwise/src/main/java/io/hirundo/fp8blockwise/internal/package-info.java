/** The precision {@code fp8-blockwise}. */
package io.hirundo.fp8blockwise.internal;
