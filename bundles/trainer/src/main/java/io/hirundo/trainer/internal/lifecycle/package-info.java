/** Closing what was opened: all of it, whatever fails. */
package io.hirundo.trainer.internal.lifecycle;
