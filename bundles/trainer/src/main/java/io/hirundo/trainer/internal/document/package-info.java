/** Reads configuration files, YAML or JSON, into trees with the place of every value, and words syntax errors. */
package io.hirundo.trainer.internal.document;
