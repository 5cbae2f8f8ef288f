/** The services that the bundle offers to others: an embedded trainer, and the inspection of a run's newest checkpoint. */
package io.hirundo.trainer.internal.service;
