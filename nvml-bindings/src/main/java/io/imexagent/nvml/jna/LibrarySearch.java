package io.imexagent.nvml.jna;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The places of a driver's library below the driver's root. The first are those of the dynamic linker (ld.so(8)): the
 * folders of {@code LD_LIBRARY_PATH}, for the root {@code /} only, and its cache. Then follow the folders of
 * distributions, NVIDIA's installer and container images.
 */
public record LibrarySearch(DriverRoot root, List<Path> libraryPath, String library) {

    /** The soname of NVML. */
    static final String NVML = "libnvidia-ml.so.1";

    private static final List<String> FOLDERS = List.of(
            "usr/lib64",
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "lib64",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu",
            "usr/lib",
            "lib",
            "usr/local/nvidia/lib64");

    public LibrarySearch {
        libraryPath = root.isHost() ? List.copyOf(libraryPath) : List.of();
    }

    /** Creates the search for another library of the driver below this root, by its soname. */
    public static LibrarySearch of(Path driverRoot, List<Path> libraryPath, String library) {
        return new LibrarySearch(new DriverRoot(driverRoot), libraryPath, library);
    }

    /** The places with a file of the library's name, in the order in which they are tried. */
    public List<Path> places() {
        return found().stream().map(LibraryFile::path).toList();
    }

    List<LibraryFile> found() {
        Stream<Path> cached = LinkerCache.files(root.path(), library).stream().map(root::below);
        return Stream.of(inFolders(libraryPath.stream()), cached, inFolders(folders()))
                .flatMap(places -> places)
                .distinct()
                .flatMap(place -> root.file(place).stream())
                .distinct()
                .toList();
    }

    /** The places that are searched, for people: folders, and the linker's cache. */
    public List<Path> searched() {
        return Stream.of(libraryPath.stream(), Stream.of(root.path().resolve(LinkerCache.FILE)), folders())
                .flatMap(places -> places)
                .toList();
    }

    private Stream<Path> folders() {
        return FOLDERS.stream().map(root::below);
    }

    private Stream<Path> inFolders(Stream<Path> folders) {
        return folders.map(folder -> folder.resolve(library));
    }
}
