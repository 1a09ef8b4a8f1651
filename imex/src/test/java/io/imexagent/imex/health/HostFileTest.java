package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

class HostFileTest {

    private static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NEW = Instant.parse("2026-06-01T00:00:00Z");
    private static final String FILE = "/etc/nvidia-imex/nodes_config.cfg";

    @TempDir(factory = TempDirFactory.Standard.class)
    Path root;

    private Path folder;

    @BeforeEach
    void layOut() throws IOException {
        folder = Files.createDirectories(root.resolve("etc/nvidia-imex"));
    }

    private Path file(String path, Instant at) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.resolveSibling(".").normalize());
        return Files.setLastModifiedTime(Files.writeString(file, "10.0.0.1\n"), FileTime.from(at));
    }

    private void link(Path link, String target, Instant at) throws IOException {
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(target));
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(at), null, null);
    }

    private Instant changed() {
        return HostFile.read(root, FILE) instanceof HostFile.ReadFile read ? read.changed() : Instant.MAX;
    }

    @Test
    void aFileHasItsOwnTime() throws IOException {
        file("etc/nvidia-imex/nodes_config.cfg", OLD);

        assertThat(HostFile.read(root, FILE)).isEqualTo(new HostFile.ReadFile(FILE, "10.0.0.1\n", OLD));
        assertThat(HostFile.read(root, "etc/nvidia-imex/nodes_config.cfg").text())
                .contains("10.0.0.1\n");
    }

    @Test
    void aLinkThatWasSwappedIsAChangeWhateverItLeadsTo() throws IOException {
        file("srv/rack7.cfg", OLD);
        link(folder.resolve("nodes_config.cfg"), "/srv/rack7.cfg", NEW);

        assertThat(changed()).isEqualTo(NEW);

        link(folder.resolve("nodes_config.cfg"), "../../srv/rack7.cfg", OLD);
        assertThat(changed()).isEqualTo(OLD);
    }

    /** As the kubelet replaces the files of a ConfigMap: a link to a folder is swapped, that to the file stays. */
    @Test
    void aFolderThatWasSwappedBelowAnOldLinkIsAChange() throws IOException {
        file("etc/nvidia-imex/..2026_06/nodes_config.cfg", OLD);
        link(folder.resolve("nodes_config.cfg"), "..data/nodes_config.cfg", OLD);
        link(folder.resolve("..data"), "..2026_06", NEW);

        assertThat(changed()).isEqualTo(NEW);
    }

    @Test
    void aDeviceAndWhatIsTooLargeAreNotRead() throws IOException {
        for (String device : List.of("/dev/zero", "/dev/null")) {
            assertThat(HostFile.read(Path.of("/"), device))
                    .isEqualTo(new HostFile.UnreadableFile(device, "it is no regular file"));
        }
        Path file = root.resolve("etc/nvidia-imex/nodes_config.cfg");
        Files.write(file, new byte[HostFile.LARGEST]);
        assertThat(HostFile.read(root, FILE)).isInstanceOf(HostFile.ReadFile.class);
        Files.write(file, new byte[HostFile.LARGEST + 1]);
        assertThat(HostFile.read(root, FILE))
                .isEqualTo(new HostFile.UnreadableFile(FILE, "it is larger than 1048576 bytes"));
    }

    @Test
    void whatIsNotThereAndWhatCannotBeReadAreToldApart() throws IOException {
        assertThat(HostFile.read(root, FILE)).isEqualTo(new HostFile.MissingFile(FILE));

        link(folder.resolve("nodes_config.cfg"), "gone", OLD);
        assertThat(HostFile.read(root, FILE)).isEqualTo(new HostFile.MissingFile(FILE));

        link(folder.resolve("nodes_config.cfg"), "nodes_config.cfg", OLD);
        assertThat(HostFile.read(root, FILE))
                .isInstanceOfSatisfying(
                        HostFile.UnreadableFile.class,
                        file -> assertThat(file.reason()).contains("too many levels of symbolic links"));

        Files.delete(folder.resolve("nodes_config.cfg"));
        Files.createDirectory(folder.resolve("nodes_config.cfg"));
        assertThat(HostFile.read(root, FILE)).isInstanceOf(HostFile.UnreadableFile.class);
    }
}
