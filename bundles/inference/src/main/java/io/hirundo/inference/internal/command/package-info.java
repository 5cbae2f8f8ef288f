/** The commands eval and generate. */
package io.hirundo.inference.internal.command;
