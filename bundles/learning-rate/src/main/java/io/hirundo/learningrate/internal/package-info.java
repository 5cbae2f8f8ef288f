/**
 * Learning-rate schedules: a linear warm-up, then a constant rate or a decay that is linear, a cosine, or stable at
 * first.
 */
package io.hirundo.learningrate.internal;
