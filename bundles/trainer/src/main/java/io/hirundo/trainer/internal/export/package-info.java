/**
 * Model folders at the begin and the end of a run: conversion to a published format, and the parity check of what was
 * read or written.
 */
package io.hirundo.trainer.internal.export;
