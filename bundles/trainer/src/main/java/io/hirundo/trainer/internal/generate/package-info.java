/** Asking a model: opening one from its folder, data to evaluate it on. */
package io.hirundo.trainer.internal.generate;
