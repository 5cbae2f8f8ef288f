/** Finds strategies by contract and name, and binds their options. */
package io.hirundo.trainer.internal.strategy;
