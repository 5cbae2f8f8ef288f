/** What somebody wants of a run that goes on, and what became of it. */
package io.hirundo.trainer.internal.steer;
