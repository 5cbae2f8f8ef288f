/**
 * Plain values (maps, lists, text, numbers, booleans: what JSON and YAML hold) into records and back. The types are the
 * records themselves; every fault is named by its path in the document.
 */
package io.hirundo.trainer.internal.binding;
