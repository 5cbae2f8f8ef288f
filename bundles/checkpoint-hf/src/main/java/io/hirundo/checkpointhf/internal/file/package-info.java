/** Files and folders that appear whole or not at all, and strict JSON with one kind of error for damaged files. */
package io.hirundo.checkpointhf.internal.file;
