/** Change requests to a running training, their decisions, and the status that clients see. */
package io.hirundo.trainer.internal.steer;
