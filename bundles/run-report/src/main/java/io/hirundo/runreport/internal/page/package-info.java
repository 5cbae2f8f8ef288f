/** The HTML page: self-contained, for one run or for several in the same charts. */
package io.hirundo.runreport.internal.page;
