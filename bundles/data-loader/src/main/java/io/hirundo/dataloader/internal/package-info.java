/** Private to the bundle data-loader. */
package io.hirundo.dataloader.internal;
