package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibrarySearchTest {

    private static final Path SET = Path.of("/opt/driver/lib");

    @Test
    void theFoldersOfTheEnvironmentGoFirstForTheRootOfThisProcess() {
        for (Path root : List.of(Path.of("/"), Path.of("/usr/.."))) {
            assertThat(search(root).searched()).startsWith(SET, Path.of("/etc/ld.so.cache"), Path.of("/usr/lib64"));
        }
    }

    @Test
    void theyAreNotThoseOfAnotherRoot() {
        assertThat(search(Path.of("/run/nvidia/driver")).searched())
                .startsWith(Path.of("/run/nvidia/driver/etc/ld.so.cache"))
                .doesNotContain(SET);
    }

    /** As Debian's alternatives are, seen from a pod or below a driver container's root. */
    @Test
    void anAbsoluteLinkIsTakenBelowTheRoot(@TempDir Path root) throws IOException {
        Path library = Files.createFile(
                Files.createDirectories(root.resolve("usr/lib/nvidia")).resolve("libnvidia-ml.so.580"));
        link(root, "etc/alternatives/nvml", "/usr/lib/nvidia/libnvidia-ml.so.580");
        link(root, "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/etc/alternatives/nvml");
        link(root, "lib64", "/usr/lib/x86_64-linux-gnu");

        assertThat(search(root).found()).singleElement().returns(library, LibraryFile::path);
    }

    @Test
    void aWayOfTooManyLinksLeadsNowhere(@TempDir Path folder) throws IOException {
        Files.createFile(Files.createDirectories(folder.resolve("outside")).resolve("libnvidia-ml.so.1"));
        Path root = Files.createDirectories(folder.resolve("root"));
        link(root, "usr/lib64", "link1");
        for (int number = 1; number < 40; number++) {
            link(root, "usr/link" + number, "link" + (number + 1));
        }
        link(root, "usr/link40", folder.resolve("outside").toString());

        assertThat(search(root).found()).isEmpty();
    }

    @Test
    void aDotInALinkIsTheFolderItself(@TempDir Path root) throws IOException {
        Path library = Files.createFile(
                Files.createDirectories(root.resolve("opt/driver")).resolve("libnvidia-ml.so.580"));
        link(root, "usr/lib64/libnvidia-ml.so.1", "./../.././opt/./driver/libnvidia-ml.so.580");

        assertThat(search(root).found()).singleElement().returns(library, LibraryFile::path);
    }

    @Test
    void noLinkLeadsOutOfTheRoot(@TempDir Path folder) throws IOException {
        Files.createFile(folder.resolve("outside"));
        Path root = Files.createDirectories(folder.resolve("root"));
        link(root, "usr/lib64/libnvidia-ml.so.1", "../../../outside");
        link(root, "usr/lib/libnvidia-ml.so.1", "libnvidia-ml.so.1");

        assertThat(search(root).found())
                .extracting(LibraryFile::path, LibraryFile::file)
                .contains(tuple(root.resolve("outside"), Optional.empty()))
                .allSatisfy(found -> assertThat(found.toList().getLast()).isEqualTo(Optional.empty()));
    }

    private static void link(Path root, String name, String target) throws IOException {
        Path link = root.resolve(name);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }

    private static LibrarySearch search(Path root) {
        return LibrarySearch.of(root, List.of(SET), LibrarySearch.NVML);
    }
}
