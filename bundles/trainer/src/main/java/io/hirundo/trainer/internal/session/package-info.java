/**
 * The open ranks of this process: their models, data and strategies between two steps. Independent of checkpoints and
 * run directories.
 */
package io.hirundo.trainer.internal.session;
