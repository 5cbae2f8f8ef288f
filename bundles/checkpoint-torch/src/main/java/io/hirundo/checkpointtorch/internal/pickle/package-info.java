/** Reads pickles into inert values. */
package io.hirundo.checkpointtorch.internal.pickle;
