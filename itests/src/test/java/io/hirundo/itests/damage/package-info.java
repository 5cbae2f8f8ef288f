/** Ways to damage files: any file ({@code FileFaults}) and JSON ({@code JsonFaults}). */
package io.hirundo.itests.damage;
