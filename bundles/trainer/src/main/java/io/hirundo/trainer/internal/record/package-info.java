/**
 * What a run writes below its directory and sends to its listeners: log, fingerprints, events. Receives reports from the
 * training loop; computes nothing.
 */
package io.hirundo.trainer.internal.record;
