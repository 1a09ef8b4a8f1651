package io.imexagent.nvml.jna;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/**
 * A place of the library, and the file to which it leads now: device and inode, time of the last change and size of the
 * file behind all links. Two equal values are the same library. Without a file if a link leads nowhere, or if the name
 * cannot be followed; the linker then reports the reason.
 */
record LibraryFile(Path path, Optional<FileIdentity> file) {

    /** The identity of a file. */
    record FileIdentity(String deviceAndInode, FileTime modified, long size) {}

    /** The library's place of this name, which leads to {@code path} here; empty if nothing has the name. */
    static Optional<LibraryFile> at(Path name, Path path) {
        if (Files.notExists(name, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            var file = Files.readAttributes(path, BasicFileAttributes.class);
            return Optional.of(new LibraryFile(
                    path,
                    Optional.of(
                            new FileIdentity(Objects.toString(file.fileKey()), file.lastModifiedTime(), file.size()))));
        } catch (IOException leadsNowhere) {
            return Optional.of(new LibraryFile(path, Optional.empty()));
        }
    }
}
