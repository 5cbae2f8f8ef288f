/** Asking a model: opening one from its folder, sampling text from it. */
package io.hirundo.trainer.internal.generate;
