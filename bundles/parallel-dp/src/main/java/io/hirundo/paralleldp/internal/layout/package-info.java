/**
 * The layout of parameters in a buffer that ranks divide, and the all-gather of their weights, quantized or not. Both
 * strategies build on it.
 */
package io.hirundo.paralleldp.internal.layout;
