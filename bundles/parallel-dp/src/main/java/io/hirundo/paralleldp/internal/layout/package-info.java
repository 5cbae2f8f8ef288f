/** The layout of parameters in a buffer that ranks divide, and how some of them are packed for a transfer. */
package io.hirundo.paralleldp.internal.layout;
