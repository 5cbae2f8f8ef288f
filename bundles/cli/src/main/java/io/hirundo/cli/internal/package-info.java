/** Private to the bundle cli. */
package io.hirundo.cli.internal;
