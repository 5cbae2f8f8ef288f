/**
 * Named tensors of a model on the host: shapes and slices that a rank owns, initial values, copies to and from a device,
 * writers of model formats. Below every package that has a device or a rank.
 */
package io.hirundo.trainer.internal.tensors;
