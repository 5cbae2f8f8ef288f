/**
 * What a run writes below its directory and tells its listeners: log, fingerprints, events. Takes reports from the
 * training loop; computes nothing.
 */
package io.hirundo.trainer.internal.record;
