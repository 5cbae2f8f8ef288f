/** What the layers of one rank are made of: its parameters, and matrices with the precision strategy's GEMMs. */
package io.hirundo.trainer.internal.layer;
