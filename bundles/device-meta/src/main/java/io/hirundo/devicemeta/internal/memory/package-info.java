/** Tensors without contents: shapes, dtypes and bytes, booked by category in the device's ledger. */
package io.hirundo.devicemeta.internal.memory;
