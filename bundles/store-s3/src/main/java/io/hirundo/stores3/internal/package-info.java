/** Private to the bundle store-s3. */
package io.hirundo.stores3.internal;
