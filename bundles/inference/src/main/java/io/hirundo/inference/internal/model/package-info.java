/** Inference with a stored model: opens it from its folder, and reads the data to evaluate it on. */
package io.hirundo.inference.internal.model;
