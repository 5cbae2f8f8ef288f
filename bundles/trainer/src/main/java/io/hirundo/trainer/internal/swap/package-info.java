/** Replaces strategies between two steps, on all ranks or on none, and watches the loss afterwards. */
package io.hirundo.trainer.internal.swap;
