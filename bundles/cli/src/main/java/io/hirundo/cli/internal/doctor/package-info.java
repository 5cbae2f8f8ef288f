/** {@code hirundo doctor} and the checks that belong to no other bundle. */
package io.hirundo.cli.internal.doctor;
