/** What a run's files say about it: series of numbers by step, events, memory, samples. */
package io.hirundo.runreport.internal.history;
