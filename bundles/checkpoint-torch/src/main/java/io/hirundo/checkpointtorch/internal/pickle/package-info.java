/** Reads pickles into values that do nothing. */
package io.hirundo.checkpointtorch.internal.pickle;
