/** An optimizer without state, for cases that only test gradients. */
package io.hirundo.regress.internal.optimizer;
