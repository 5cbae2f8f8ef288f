/** The model format {@code torch-dcp}. */
package io.hirundo.checkpointtorch.internal;
