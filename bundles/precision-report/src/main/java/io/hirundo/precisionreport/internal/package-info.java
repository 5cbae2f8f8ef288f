/** Private to the bundle precision-report. */
package io.hirundo.precisionreport.internal;
