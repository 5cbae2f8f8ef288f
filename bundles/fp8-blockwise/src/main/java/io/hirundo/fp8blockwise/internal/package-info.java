/** Private to the bundle fp8-blockwise. */
package io.hirundo.fp8blockwise.internal;
