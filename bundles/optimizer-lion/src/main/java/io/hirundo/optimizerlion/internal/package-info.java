/** The optimizer Lion: a moving average of gradients for each parameter, whose sign is the update. */
package io.hirundo.optimizerlion.internal;
