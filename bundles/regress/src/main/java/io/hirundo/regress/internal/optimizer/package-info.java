/** An optimizer without memory, for cases whose gradients alone are of interest. */
package io.hirundo.regress.internal.optimizer;
