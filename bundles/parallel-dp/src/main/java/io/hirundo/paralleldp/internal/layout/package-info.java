/**
 * How parameters lie in one stretch of memory that ranks divide, and how their weights travel, quantized or not. Both
 * strategies build on it.
 */
package io.hirundo.paralleldp.internal.layout;
