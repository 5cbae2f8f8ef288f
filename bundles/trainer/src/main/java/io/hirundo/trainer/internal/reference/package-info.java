/** The configuration described for people and editors: the table of settings and the JSON schema. */
package io.hirundo.trainer.internal.reference;
