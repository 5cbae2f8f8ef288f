/** Replaces strategies between two steps, on all ranks or on none, and monitors the loss afterwards. */
package io.hirundo.trainer.internal.swap;
