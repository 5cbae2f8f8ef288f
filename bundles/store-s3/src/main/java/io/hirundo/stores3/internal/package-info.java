/** The checkpoint store {@code s3}. */
package io.hirundo.stores3.internal;
