package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of the container image, read and not run, so that it may be for another architecture than this machine's. */
class ImageArchiveE2e {
    private static final String BILL = "usr/share/doc/imex-agent/sbom.cdx.json";

    /** What starts the program, and a library that it loads. */
    private static final List<String> PARTS =
            List.of("usr/bin/imex-agent", "usr/lib64/imex-agent/native/libjnidispatch.so");

    /** The field e_machine of an ELF header: its offset, and what it is for each architecture. */
    private static final int MACHINE = 18;

    private static final int X86_64 = 0x3e;
    private static final int AARCH64 = 0xb7;

    @TempDir
    static Path folder;

    private static JsonNode described = Json.object();
    private static JsonNode manifest = Json.object();
    private static JsonNode configuration = Json.object();

    @BeforeAll
    static void unpack() throws Exception {
        unpack(ContainerImage.file(ContainerImage.folder(), "oci.tar"));
        described = json(folder.resolve("index.json")).at("/manifests/0");
        manifest = json(blob(described));
        configuration = json(blob(manifest.path("config")));
        JsonNode layers = manifest.path("layers");
        unpack(
                blob(layers.path(layers.size() - 1)),
                Stream.concat(Stream.of(BILL), PARTS.stream()).toArray(String[]::new));
    }

    @Test
    void theImageAndItsProgramAreForTheArchitecture() throws Exception {
        boolean grace = Packages.architecture().equals("aarch64");
        assertThat(configuration.path("os").asText()).isEqualTo("linux");
        assertThat(configuration.path("architecture").asText()).isEqualTo(grace ? "arm64" : "amd64");
        for (String part : PARTS) {
            try (InputStream file = Files.newInputStream(folder.resolve(part))) {
                ByteBuffer header = ByteBuffer.wrap(file.readNBytes(MACHINE + Short.BYTES));
                assertThat(header.order(ByteOrder.LITTLE_ENDIAN).getShort(MACHINE))
                        .as(part)
                        .isEqualTo((short) (grace ? AARCH64 : X86_64));
            }
        }
    }

    @Test
    void theDigestBesideItIsThatOfItsManifest() throws Exception {
        assertThat(ContainerImage.file(ContainerImage.folder(), "digest"))
                .hasContent(described.path("digest").asText());
    }

    /** One that no registry has; a bare name would stay beside the tag that an offline node needs. */
    @Test
    void anImportGivesItItsName() throws Exception {
        assertThat(described
                        .path("annotations")
                        .path("org.opencontainers.image.ref.name")
                        .asText())
                .startsWith("localhost/imex-agent:");
    }

    @Test
    void itsBillNamesTheLibrariesOfTheBase() throws Exception {
        Path beside = ContainerImage.file(ContainerImage.folder(), "sbom.cdx.json");
        assertThat(beside).hasSameBinaryContentAs(folder.resolve(BILL));
        String architecture = configuration.path("architecture").asText();
        List<JsonNode> components =
                json(beside).path("components").valueStream().toList();
        assertThat(components)
                .extracting(part -> part.path("name").asText())
                .contains("vertx-core", "OpenJDK", "localhost/imex-agent-base");
        List<JsonNode> libraries = components.stream()
                .filter(part -> part.path("purl").asText().startsWith("pkg:deb/debian/"))
                .toList();
        assertThat(libraries)
                .extracting(part -> part.path("name").asText())
                .containsExactly("base-files", "gcc-14-base", "libc6", "libgcc-s1", "libstdc++6", "zlib1g");
        assertThat(libraries).allSatisfy(part -> {
            assertThat(part.path("purl").asText()).endsWith("?arch=" + architecture + "&distro=debian-13");
            assertThat(part.path("licenses").path(0).at("/license/name").asText())
                    .isNotEmpty();
        });
    }

    private static void unpack(Path archive, String... names) throws IOException, InterruptedException {
        Commands.succeed(
                SystemdMachine.LONG,
                Stream.concat(Stream.of("tar", "-xf", archive.toString(), "-C", folder.toString()), Stream.of(names))
                        .toList());
    }

    private static Path blob(JsonNode descriptor) {
        return folder.resolve("blobs")
                .resolve(descriptor.path("digest").asText().replace(':', '/'));
    }

    private static JsonNode json(Path file) throws IOException {
        return Json.parse(Files.readAllBytes(file));
    }
}
