/** Reads configuration files in YAML or JSON into plain values, and reports syntax errors with their position. */
package io.hirundo.trainer.internal.document;
