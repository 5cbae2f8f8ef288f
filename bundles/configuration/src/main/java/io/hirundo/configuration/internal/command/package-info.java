/** The commands that show strategies and configurations. */
package io.hirundo.configuration.internal.command;
