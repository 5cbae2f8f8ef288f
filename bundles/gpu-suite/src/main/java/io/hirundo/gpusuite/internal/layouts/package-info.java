/** Compares training on one rank with training on several ranks of a layout. */
package io.hirundo.gpusuite.internal.layouts;
