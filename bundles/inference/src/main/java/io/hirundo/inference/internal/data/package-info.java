/** Reads the data that a model is evaluated on. */
package io.hirundo.inference.internal.data;
