/** Private to the bundle store-folder. */
package io.hirundo.storefolder.internal;
