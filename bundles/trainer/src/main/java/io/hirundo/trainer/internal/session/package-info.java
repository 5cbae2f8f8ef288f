/**
 * The open ranks of this process: their models, data and strategies between two steps. Knows nothing of checkpoints or
 * run directories.
 */
package io.hirundo.trainer.internal.session;
