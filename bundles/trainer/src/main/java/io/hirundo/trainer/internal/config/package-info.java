/**
 * The configuration of a run: the records that state its settings, their defaults and bounds, and what is made of them,
 * the bound configuration, the JSON schema and the reference.
 */
package io.hirundo.trainer.internal.config;
