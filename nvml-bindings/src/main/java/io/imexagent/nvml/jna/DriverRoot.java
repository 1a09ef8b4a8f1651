package io.imexagent.nvml.jna;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The folder that contains a driver's files at their paths below {@code /}. Links below it are resolved as for a
 * process with this root: an absolute link is resolved below it, and none leads out of it.
 */
record DriverRoot(Path path) {

    /** The largest number of links in a row, as in the kernel (path_resolution(7)). */
    private static final int LINKS = 40;

    /** The root of this process. */
    private static final Path HOST = Path.of("/");

    DriverRoot {
        path = path.toAbsolutePath().normalize();
    }

    boolean isHost() {
        return path.equals(HOST);
    }

    /** The path of a name in this root's own files, such as {@code /usr/lib64} or {@code usr/lib64}. */
    Path below(String name) {
        return path.resolve(HOST.relativize(HOST.resolve(name).normalize()));
    }

    /**
     * The file with a name below this root; empty if nothing has that name. A link that leads nowhere counts as a file;
     * a path with too many links does not, since nothing can follow it.
     */
    Optional<LibraryFile> file(Path name) {
        if (isHost()) {
            return LibraryFile.at(name, name);
        }
        return followed(name.resolve("..").normalize())
                .map(folder -> folder.resolve(name.getName(name.getNameCount() - 1)))
                .flatMap(place -> followed(name).flatMap(target -> LibraryFile.at(place, target)));
    }

    /** The file at the end of a name's links; empty if there are too many. */
    private Optional<Path> followed(Path name) {
        Deque<Path> ahead = new ArrayDeque<>();
        path.relativize(name).forEach(ahead::add);
        Path at = path;
        for (int links = 0; !ahead.isEmpty(); ) {
            Path next = ahead.removeFirst();
            if (next.toString().equals(".")) {
                continue;
            }
            if (next.toString().equals("..")) {
                at = at.equals(path) ? path : at.resolve(next).normalize();
                continue;
            }
            Path reached = at.resolve(next);
            if (Files.isSymbolicLink(reached)) {
                if (++links > LINKS) {
                    return Optional.empty();
                }
                try {
                    Path target = Files.readSymbolicLink(reached);
                    at = target.isAbsolute() ? path : at;
                    var names = new ArrayDeque<Path>();
                    target.forEach(names::addFirst);
                    names.forEach(ahead::addFirst);
                } catch (IOException unreadable) {
                    at = reached;
                }
            } else {
                at = reached;
            }
        }
        return Optional.of(at);
    }
}
