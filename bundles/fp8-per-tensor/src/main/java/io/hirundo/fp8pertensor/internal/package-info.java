/** Private to the bundle fp8-per-tensor. */
package io.hirundo.fp8pertensor.internal;
