package io.imexagent.nvml.jna;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The folder under which a driver's files stand as under {@code /}. Links below it lead where they would lead a process
 * whose root it is: an absolute one is taken below it, and none leads out of it.
 */
record DriverRoot(Path path) {

    /** As many links in a row as the kernel follows (path_resolution(7)). */
    private static final int LINKS = 40;

    /** The root of this process. */
    private static final Path HOST = Path.of("/");

    DriverRoot {
        path = path.toAbsolutePath().normalize();
    }

    boolean isHost() {
        return path.equals(HOST);
    }

    /** A name as this root's own files write it, such as {@code /usr/lib64} or {@code usr/lib64}. */
    Path below(String name) {
        return path.resolve(HOST.relativize(HOST.resolve(name).normalize()));
    }

    /**
     * What is under a name below this root, if there is anything: a link that leads nowhere included, one on a way of too
     * many links not, which nobody can follow.
     */
    Optional<LibraryFile> file(Path name) {
        if (isHost()) {
            return LibraryFile.at(name, name);
        }
        return followed(name.resolve("..").normalize())
                .map(folder -> folder.resolve(name.getName(name.getNameCount() - 1)))
                .flatMap(place -> followed(name).flatMap(target -> LibraryFile.at(place, target)));
    }

    /** Where a name leads; empty where that takes too many links. */
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
