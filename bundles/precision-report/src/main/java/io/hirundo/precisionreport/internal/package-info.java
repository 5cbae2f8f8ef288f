/** The command {@code precision-report}. */
package io.hirundo.precisionreport.internal;
