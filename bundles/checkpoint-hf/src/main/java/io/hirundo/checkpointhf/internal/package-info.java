/** Private to the bundle checkpoint-hf. */
package io.hirundo.checkpointhf.internal;
