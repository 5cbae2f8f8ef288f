/** The precisions {@code fp8-current} and {@code fp8-delayed}. */
package io.hirundo.fp8pertensor.internal;
