/**
 * One rank's part of the model: blocks, parameters, the state that GEMMs keep between steps, loading and saving of
 * weights.
 */
package io.hirundo.trainer.internal.model;
