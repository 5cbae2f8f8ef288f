/** Charts as inline SVG: scales, ticks, downsampling, curves. */
package io.hirundo.runreport.internal.chart;
