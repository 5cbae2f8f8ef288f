package io.hirundo.lib.input;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes why a file could not be read or written, without class names. Many file system exceptions contain only a path. */
public final class Reason {
    private Reason() {}

    /** For instance {@code PATH: permission denied}. */
    public static String of(IOException e) {
        String message = e.getMessage() == null
                ? "input or output failed (" + e.getClass().getSimpleName() + ")"
                : e.getMessage();
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + ": no such file or folder";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case FileAlreadyExistsException conflict -> conflict.getFile() + ": file exists";
            case DirectoryNotEmptyException used -> used.getFile() + ": is not empty";
            case NotDirectoryException file -> file.getFile() + ": is not a folder";
            case EOFException end -> "it ends too early";
            case CharacterCodingException encoding -> "it is not UTF-8 text";
            default -> message;
        };
    }
}
