package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code make release} refuses, and what it puts together, where packages and images are only names. */
class ReleaseTest {
    private static final Path ROOT = Checkout.find().root();

    /** What {@code DIST} of the release puts into the names of packages. */
    private static final String DISTRIBUTION = ".el10";

    private static final Pattern MARKED = Pattern.compile("`([^`]+)`");
    private static final Pattern BRACES = Pattern.compile("(.*)\\{(.*)}(.*)");

    /** Stands in for make, which takes half an hour. */
    private static final String MAKE = """
            #!/usr/bin/env bash
            set -eu
            for word in "$@"; do case $word in *=*) declare "$word" ;; esac; done
            case $1 in
              rpm)
                mkdir -p "$RPM" target/release-build/repository
                for name in 1.$ARCH.rpm 1.$ARCH.sbom.cdx.json 1.src.rpm; do echo $name >"$RPM/imex-agent-7.8.9-$name"; done
                for name in None IMEXChannel; do echo $name >"$RPM/$name.yaml"; done
                for name in rpm sbom.cdx.json; do echo $name >"$RPM/imex-agent-selinux-7.8.9-1.noarch.$name"; done ;;
              image-container)
                [ -f "$RPM/imex-agent-7.8.9-1.$ARCH.rpm" ]
                [ ! -e "$FETCHED/container-base-$ARCH" ]
                mkdir "$FETCHED/container-base-$ARCH"
                for name in oci.tar digest sbom.cdx.json; do echo $name >"$CONTAINER/imex-agent-7.8.9.$ARCH.$name"; done ;;
            esac
            """;

    @TempDir
    private Path folder;

    private Path tree = Path.of("");

    @BeforeEach
    void aCommitOfVersion789() throws Exception {
        tree = Files.createDirectory(folder.resolve("tree"));
        for (String file : List.of("packaging/release", "bin/checksums", "packaging/pack-chart")) {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), tree.resolve(file));
        }
        write("pom.xml", "<project>\n  <version>7.8.9</version>\n</project>\n");
        write("core/pom.xml", "<project>\n  <parent>\n    <version>7.8.9</version>\n  </parent>\n</project>\n");
        write("packaging/rpm/imex-agent.spec", "Version:        7.8.9\n");
        write("packaging/kubernetes/chart/Chart.yaml", "name: imex-agent\nversion: 7.8.9\nappVersion: 7.8.9\n");
        write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 7.8.9 - 2026-11-23\n- New.\n");
        write(".gitignore", "target/\n");
        write(".mvn/checksums/checksums.sha256", "0".repeat(64) + "  org/one/1.0/one-1.0.jar\n");
        Path make =
                Files.writeString(Files.createDirectory(folder.resolve("bin")).resolve("make"), MAKE);
        assertThat(make.toFile().setExecutable(true)).isTrue();
        run("git", "init", "-q");
        commit();
    }

    @Test
    void hasEverythingWithItsChecksum() throws Exception {
        assertThat(release()).isZero();

        Path release = tree.resolve("target/release");
        assertThat(names(release))
                .containsExactly(
                        "IMEXChannel.yaml",
                        "None.yaml",
                        "SHA256SUMS",
                        "imex-agent-7.8.9-1.aarch64.rpm",
                        "imex-agent-7.8.9-1.aarch64.sbom.cdx.json",
                        "imex-agent-7.8.9-1.src.rpm",
                        "imex-agent-7.8.9-1.x86_64.rpm",
                        "imex-agent-7.8.9-1.x86_64.sbom.cdx.json",
                        "imex-agent-7.8.9.aarch64.digest",
                        "imex-agent-7.8.9.aarch64.oci.tar",
                        "imex-agent-7.8.9.aarch64.sbom.cdx.json",
                        "imex-agent-7.8.9.tgz",
                        "imex-agent-7.8.9.x86_64.digest",
                        "imex-agent-7.8.9.x86_64.oci.tar",
                        "imex-agent-7.8.9.x86_64.sbom.cdx.json",
                        "imex-agent-selinux-7.8.9-1.noarch.rpm",
                        "imex-agent-selinux-7.8.9-1.noarch.sbom.cdx.json");
        assertThat(run(
                        "bash",
                        "-c",
                        "cd target/release && sha256sum --check --strict SHA256SUMS | wc -l | grep -qx 16"))
                .isZero();
        String sums = Files.readString(release.resolve("SHA256SUMS"));
        assertThat(release()).isZero();
        assertThat(release.resolve("SHA256SUMS")).hasContent(sums);
    }

    @Test
    void theReadmeListsItsFilesByName() throws Exception {
        assertThat(release()).isZero();
        String version = DocumentsTest.version();

        assertThat(ofTheReadme().map(file -> file.replace(DISTRIBUTION, "").replace(version, "7.8.9")))
                .containsExactlyInAnyOrderElementsOf(names(tree.resolve("target/release")));
    }

    /** The first column of the table, with braces expanded. */
    private static Stream<String> ofTheReadme() throws IOException {
        String page = Files.readString(ROOT.resolve("README.md"));
        int table = page.indexOf("| files | what |");
        return page.substring(table, page.indexOf("\n\n", table))
                .lines()
                .skip(2)
                .map(row -> row.split("\\|", 3)[1])
                .flatMap(cell -> MARKED.matcher(cell).results().map(mark -> mark.group(1)))
                .flatMap(ReleaseTest::expanded);
    }

    private static Stream<String> expanded(String name) {
        var braces = BRACES.matcher(name);
        return braces.matches()
                ? Stream.of(braces.group(2).split(",")).map(word -> braces.group(1) + word + braces.group(3))
                : Stream.of(name);
    }

    @Test
    void isNotMadeOfWhatIsNotCommitted() throws Exception {
        write("core/New.java", "");

        assertRefused("core/");
    }

    @Test
    void isNotMadeOfASnapshot() throws Exception {
        write("pom.xml", "<project>\n  <version>7.8.9-SNAPSHOT</version>\n</project>\n");
        commit();

        assertRefused("7.8.9-SNAPSHOT, which is no release");
    }

    @Test
    void isNotMadeWhereAVersionDiffers() throws Exception {
        for (String file : List.of("core/pom.xml", "packaging/rpm/imex-agent.spec", "CHANGELOG.md")) {
            String text = Files.readString(tree.resolve(file));
            write(file, text.replace("7.8.9", "7.8.8"));
            commit();
            assertRefused(file + " is not of version 7.8.9");
            write(file, text);
        }
        write("packaging/kubernetes/chart/Chart.yaml", "version: 7.8.9\nappVersion: 7.8.8\n");
        commit();
        assertRefused("Chart.yaml is not of version 7.8.9");
    }

    @Test
    void isNotMadeWhileTheChangelogIsNotCut() throws Exception {
        String text = Files.readString(tree.resolve("CHANGELOG.md"));
        write("CHANGELOG.md", text.replace("## Unreleased\n", "## Unreleased\n- Newer.\n"));
        commit();

        assertRefused("CHANGELOG.md has entries under Unreleased");
    }

    @Test
    void isNotMadeWithWhatIsNotListed() throws Exception {
        write("target/release-build/x", "");
        String make = Files.readString(folder.resolve("bin/make"));
        Files.writeString(
                folder.resolve("bin/make"),
                make.replace(
                        "rpm)\n",
                        "rpm)\nmkdir -p target/release-build/repository/org; touch target/release-build/repository/org/two.jar\n"));

        assertRefused("org/two.jar");
    }

    @Test
    void isNotMadeWhereAFileOfItIsMissing() throws Exception {
        String make = Files.readString(folder.resolve("bin/make"));
        for (String kind : List.of("$ARCH.sbom.cdx.json", "src.rpm", "digest", "oci.tar", "$name.yaml")) {
            assertThat(make).contains(kind);
            Files.writeString(folder.resolve("bin/make"), make.replace(kind, "other"));
            assertRefused("release: there is no ");
        }
    }

    private void assertRefused(String because) throws Exception {
        assertThat(release()).isNotZero();
        assertThat(folder.resolve("said")).content().contains(because);
        assertThat(tree.resolve("target/release/SHA256SUMS")).doesNotExist();
    }

    private int release() throws Exception {
        return run("packaging/release");
    }

    private void commit() throws Exception {
        assertThat(run("git", "add", "-A")).isZero();
        assertThat(run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a"))
                .isZero();
    }

    private int run(String... command) throws IOException, InterruptedException {
        ProcessBuilder process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        process.environment().merge("PATH", folder.resolve("bin").toString(), (path, first) -> first + ":" + path);
        return process.start().waitFor();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private void write(String file, String text) throws IOException {
        Path path = tree.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text, StandardCharsets.UTF_8);
    }
}
