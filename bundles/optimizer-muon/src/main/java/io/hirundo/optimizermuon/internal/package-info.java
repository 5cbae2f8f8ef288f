/** The optimizer Muon: orthogonalized momentum for matrices of layers, and AdamW for all other parameters. */
package io.hirundo.optimizermuon.internal;
