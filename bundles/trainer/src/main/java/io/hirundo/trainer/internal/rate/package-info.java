/** The learning rates of a run: where its schedule begins and ends, and what a resumed run does with the schedule of its checkpoint. */
package io.hirundo.trainer.internal.rate;
