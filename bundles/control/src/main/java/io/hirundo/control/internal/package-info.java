/** Private to the bundle control. */
package io.hirundo.control.internal;
