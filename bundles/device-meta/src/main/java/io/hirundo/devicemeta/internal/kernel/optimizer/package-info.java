/** Optimizer updates: operands are checked and elements counted. */
package io.hirundo.devicemeta.internal.kernel.optimizer;
