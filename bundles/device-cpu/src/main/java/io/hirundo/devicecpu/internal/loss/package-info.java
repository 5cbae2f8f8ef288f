/** Cross-entropy over a complete vocabulary or over the slice of one rank: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.loss;
