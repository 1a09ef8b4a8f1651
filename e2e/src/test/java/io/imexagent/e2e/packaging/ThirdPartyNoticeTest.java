package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThirdPartyNoticeTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void jars() throws IOException {
        jar("jna-5.0.jar", "META-INF/LICENSE", "Words of JNA.");
        jar("yaml-2.jar", "org/yaml/LicenseReader.class", "code");
        jar("yaml-2-linux.jar", "NOTICE.txt", "Words of YAML.");
    }

    @Test
    void hasEachLibraryItsOwnFilesAndEachStandardTextOnce() throws Exception {
        String notice = notice(library("jna", "5.0", licence("Apache-2.0", "Standard words."))
                + ","
                + library("yaml", "2", licence("Apache-2.0", "Standard words.") + ",{\"license\":{\"name\":\"Other\"}}")
                + ",{\"group\": \"io.imexagent\", \"name\": \"imex-agent-core\", \"version\": \"1\"}");

        assertThat(notice)
                .contains("  jna 5.0 (org): Apache-2.0\n", "  yaml 2 (org): Apache-2.0, Other\n")
                .contains("From jna 5.0\n\nWords of JNA.", "From yaml 2\n\nWords of YAML.")
                .containsOnlyOnce("Standard words.")
                .doesNotContain("imex-agent-core", "code");
    }

    @Test
    void leavesOutWhatHasNoJar() throws Exception {
        String notice = notice(library("jna", "5.0", licence("MIT", "Words.")) + "," + library("asm", "9", ""));

        assertThat(notice).contains("jna 5.0").doesNotContain("asm");
    }

    @Test
    void isNotMadeWhereALibraryHasNoText() throws Exception {
        jar("asm-9.jar", "org/objectweb/asm/Type.class", "code");

        assertThatThrownBy(() -> notice(library("asm", "9", "{\"license\":{\"name\":\"Unheard of\"}}")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the text of a licence of asm 9: [Unheard of]");
    }

    private String notice(String components) throws IOException {
        Path bill = Files.writeString(directory.resolve("bom.json"), "{\"components\": [%s]}".formatted(components));
        return ThirdPartyNotice.of(bill, directory);
    }

    private static String library(String name, String version, String licences) {
        return "{\"group\": \"org\", \"name\": \"%s\", \"version\": \"%s\", \"licenses\": [%s]}"
                .formatted(name, version, licences);
    }

    private static String licence(String id, String text) {
        return "{\"license\": {\"id\": \"%s\", \"text\": {\"encoding\": \"base64\", \"content\": \"%s\"}}}"
                .formatted(id, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void jar(String name, String entry, String content) throws IOException {
        try (var jar = new ZipOutputStream(Files.newOutputStream(directory.resolve(name)))) {
            jar.putNextEntry(new ZipEntry(entry));
            jar.write(content.getBytes(StandardCharsets.UTF_8));
        }
    }
}
