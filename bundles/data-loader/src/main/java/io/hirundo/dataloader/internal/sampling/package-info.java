/** From datasets to samples: splits, epochs, shuffles, blends. */
package io.hirundo.dataloader.internal.sampling;
