/**
 * Binds plain values (maps, lists, text, numbers and booleans from JSON or YAML) to configuration records, and converts records back. The
 * record classes define the schema. Every error names the path in the document.
 */
package io.hirundo.trainer.internal.binding;
