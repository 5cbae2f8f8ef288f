/** The same training by one rank and by several ranks of a layout. */
package io.hirundo.gpusuite.internal.layouts;
