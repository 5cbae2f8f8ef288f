package io.hirundo.launcher;
