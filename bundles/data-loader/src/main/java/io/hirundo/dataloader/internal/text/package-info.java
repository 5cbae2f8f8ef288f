/** Documents out of text files, JSON lines, archives and folders. */
package io.hirundo.dataloader.internal.text;
