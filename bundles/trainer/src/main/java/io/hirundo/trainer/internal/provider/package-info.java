/** Who makes a declared layer run: providers of the tensor-parallel strategy, of the architecture, or of lib-transformer. */
package io.hirundo.trainer.internal.provider;
