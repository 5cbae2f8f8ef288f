/** Private to the bundle plugin-new. */
package io.hirundo.pluginnew.internal;
