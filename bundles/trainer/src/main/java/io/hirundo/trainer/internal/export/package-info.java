/**
 * Model folders at the start and end of a run: conversion to a published format, and the parity check of what was
 * read or written.
 */
package io.hirundo.trainer.internal.export;
