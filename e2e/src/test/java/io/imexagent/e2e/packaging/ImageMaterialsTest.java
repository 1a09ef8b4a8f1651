package io.imexagent.e2e.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageMaterialsTest {
    private static final String PACKAGE = "{\"bomFormat\":\"CycloneDX\",\"components\":[{\"name\":\"jna\"}]}";

    @TempDir
    private Path base;

    @Test
    void namesTheBaseByItsDigestAndItsPackagesWithVersionAndLicences() throws Exception {
        write("usr/lib/os-release", "ID=debian\nVERSION_ID=\"13\"\n");
        write("var/lib/dpkg/status.d/zlib1g", """
                Package: zlib1g
                Source: zlib
                Version: 1:1.3.dfsg+really1.3.1-1+b1
                Architecture: arm64
                Description: compression library
                 Version: in the text
                """);
        write("var/lib/dpkg/status.d/zlib1g.md5sums", "Package: none\n");
        write("usr/share/doc/zlib1g/copyright", """
                Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
                Files: *
                License: Zlib
                Files: debian/*
                License: Zlib
                Files: other
                License: GPL-2+
                """);
        write("var/lib/dpkg/status.d/libstdc++6", "Package: libstdc++6\nVersion: 14.2.0-19\nArchitecture: arm64\n");
        write("usr/share/doc/libstdc++6/copyright", "This is free software.\nLicense as published by …\n");

        JsonNode components = components();

        assertThat(components)
                .extracting(part -> part.path("name").asText())
                .containsExactly("jna", "registry.example/base", "libstdc++6", "zlib1g");
        assertThat(components.path(1).path("version").asText()).isEqualTo("sha256:01");
        assertThat(components.path(2).path("purl").asText())
                .isEqualTo("pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=arm64&distro=debian-13");
        assertThat(components.path(2).path("licenses"))
                .hasToString("[{\"license\":{\"name\":\"see /usr/share/doc/libstdc++6/copyright\"}}]");
        assertThat(components.path(3).path("purl").asText())
                .isEqualTo("pkg:deb/debian/zlib1g@1:1.3.dfsg%2Breally1.3.1-1%2Bb1?arch=arm64&distro=debian-13");
        assertThat(components.path(3).path("licenses"))
                .hasToString("[{\"license\":{\"name\":\"Zlib\"}},{\"license\":{\"name\":\"GPL-2+\"}}]");
    }

    @Test
    void readsTheOneFileOfDpkgWithoutWhatIsNotInstalledAnyMore() throws Exception {
        write("var/lib/dpkg/status", """
                Package: libc6
                Status: install ok installed
                Architecture: amd64
                Version: 2.41-12

                Package: gone
                Status: purge ok not-installed
                Version: 1
                """);

        assertThat(components())
                .extracting(part -> part.path("name").asText())
                .containsExactly("jna", "registry.example/base", "libc6");
        assertThat(components().path(2).path("purl").asText()).isEqualTo("pkg:deb/debian/libc6@2.41-12?arch=amd64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"usr/lib/os-release", "etc/os-release"})
    void packagesAreOfTheDistributionThatTheBaseNames(String release) throws Exception {
        write(release, "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n");
        write("var/lib/dpkg/status", "Package: libc6\nArchitecture: amd64\nVersion: 2.39-0ubuntu8\n");

        assertThat(components().path(2).path("purl").asText())
                .isEqualTo("pkg:deb/ubuntu/libc6@2.39-0ubuntu8?arch=amd64&distro=ubuntu-24.04");
    }

    @Test
    void aLinkThatLeadsOutOfTheBaseIsNotFollowed() throws Exception {
        Path outside = Files.writeString(base.resolve("outside"), "ID=other\nVERSION_ID=1\n");
        Files.createDirectories(base.resolve("etc"));
        Files.createSymbolicLink(base.resolve("etc/os-release"), outside);
        write("var/lib/dpkg/status", "Package: libc6\nArchitecture: amd64\nVersion: 2.41-12\n");

        assertThat(components().path(2).path("purl").asText()).isEqualTo("pkg:deb/debian/libc6@2.41-12?arch=amd64");
    }

    @Test
    void ofABaseThatIsNotDebiansItSaysNameAndDigest() throws Exception {
        assertThat(components().path(1))
                .hasToString("{\"type\":\"container\",\"bom-ref\":\"base-image\",\"name\":\"registry.example/base\","
                        + "\"version\":\"sha256:01\"}");
        assertThat(components()).hasSize(2);
    }

    @Test
    void refusesABillWithoutComponents() {
        assertThatThrownBy(() -> ImageMaterials.withBase("{}".getBytes(UTF_8), base, "base", "sha256:01"))
                .hasMessageContaining("no CycloneDX document");
    }

    private JsonNode components() throws IOException {
        return Json.parse(ImageMaterials.withBase(PACKAGE.getBytes(UTF_8), base, "registry.example/base", "sha256:01"))
                .path("components");
    }

    private void write(String file, String text) throws IOException {
        Path path = base.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
