/** The checkpoint store {@code folder}. */
package io.hirundo.storefolder.internal;
