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
 * A place of the library, and which file it leads to at present: device and inode, time of the last change and size of the
 * file behind all links. Two that are equal are the same library. Without a file where a link leads nowhere, or where the
 * name cannot be followed; the linker then says why.
 */
record LibraryFile(Path path, Optional<FileIdentity> file) {

    /** Which file it is. */
    record FileIdentity(String deviceAndInode, FileTime modified, long size) {}

    /** What a name leads to, here: this path; empty where nothing has the name. */
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
