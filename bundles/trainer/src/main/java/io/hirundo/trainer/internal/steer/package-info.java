/** Change requests to a running training, which wait for the next step boundary, and the status that clients see. */
package io.hirundo.trainer.internal.steer;
