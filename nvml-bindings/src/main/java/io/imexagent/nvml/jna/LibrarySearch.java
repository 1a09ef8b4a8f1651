package io.imexagent.nvml.jna;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The paths at which {@code libnvidia-ml.so.1} may be, in the order in which they are tried. */
final class LibrarySearch {
    private static final String NAME = "libnvidia-ml.so.1";
    private static final List<String> DIRECTORIES = List.of(
            "usr/lib64",
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "lib64",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu");

    private LibrarySearch() {}

    static List<Path> paths(Path driverRoot, Optional<Path> library) {
        return library.map(List::of)
                .orElseGet(() -> DIRECTORIES.stream()
                        .map(directory -> driverRoot.resolve(directory).resolve(NAME))
                        .toList());
    }
}
