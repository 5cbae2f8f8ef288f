/** {@code hirundo doctor} and the checks that concern no bundle in particular. */
package io.hirundo.cli.internal.doctor;
