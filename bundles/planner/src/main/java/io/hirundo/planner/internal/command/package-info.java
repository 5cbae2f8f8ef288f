/** The commands plan and audit. */
package io.hirundo.planner.internal.command;
