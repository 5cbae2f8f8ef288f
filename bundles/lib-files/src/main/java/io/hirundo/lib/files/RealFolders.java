package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Creates and requires folders that are not symbolic links, so that a planted link cannot redirect writes. */
public final class RealFolders {
    private RealFolders() {}

    /**
     * Creates a folder and the missing ones between it and {@code root}. None of them may be a link; {@code root} and the folders above it may.
     *
     * @param root exists
     * @param folder {@code root}, or below it
     * @throws FileSystemException if one is a link, or not a folder
     */
    public static void create(Path root, Path folder) throws IOException {
        Path each = root;
        for (Path name : root.relativize(folder)) {
            // Of the root itself the relative path is one empty name.
            each = each.resolve(name);
            if (!each.equals(root)) {
                createOne(each);
            }
        }
    }

    private static void createOne(Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException _) {
            require(folder);
        }
    }

    /**
     * Returns if the path is a folder and not a link.
     *
     * @throws java.nio.file.NoSuchFileException if it does not exist
     * @throws FileSystemException if it is a link, or not a folder
     */
    public static void require(Path folder) throws IOException {
        var attributes = Files.readAttributes(folder, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isSymbolicLink()) {
            throw new FileSystemException(
                    folder.toString(), null, "is a symbolic link, through which nothing is written; remove it");
        }
        if (!attributes.isDirectory()) {
            throw new FileSystemException(folder.toString(), null, "is not a folder");
        }
    }
}
