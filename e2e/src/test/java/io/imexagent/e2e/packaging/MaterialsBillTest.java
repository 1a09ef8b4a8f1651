package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MaterialsBillTest {
    private static final String RELEASE = """
            IMPLEMENTOR="Eclipse Adoptium"
            JAVA_RUNTIME_VERSION="25.0.3+9-LTS"
            """;

    @TempDir
    private Path directory;

    @BeforeEach
    void jars() throws IOException {
        Files.createFile(directory.resolve("jna-5.jar"));
        Files.createFile(directory.resolve("jna-5-x86.jar"));
    }

    @Test
    void addsTheRuntimeAndLibffiToTheJarsAndLeavesTextsToTheNotice() throws Exception {
        JsonNode bill = bill("""
                {"bomFormat": "CycloneDX",
                 "components": [{"name": "jna", "version": "5", "licenses": [{"license": {"id": "MIT", "text": {"content": "…"}}}]}]}
                """, RELEASE);

        assertThat(bill.path("components"))
                .extracting(part -> part.path("name").asText())
                .containsExactly("jna", "libffi", "OpenJDK");
        assertThat(bill.at("/components/0/licenses/0/license")).hasToString("{\"id\":\"MIT\"}");
        JsonNode runtime = bill.path("components").path(2);
        assertThat(runtime.path("name").asText()).isEqualTo("OpenJDK");
        assertThat(runtime.path("publisher").asText()).isEqualTo("Eclipse Adoptium");
        assertThat(runtime.path("version").asText()).isEqualTo("25.0.3+9-LTS");
    }

    @Test
    void aNativeImageHasItsOwnRuntimeBesideTheClassesOfTheJdk() throws Exception {
        Path bill = Files.writeString(directory.resolve("bom.json"), "{\"components\": []}");
        Path release = Files.writeString(directory.resolve("release"), RELEASE);

        JsonNode components = Json.parse(MaterialsBill.withRuntime(bill, directory, release, Optional.of("25.0.4")))
                .path("components");

        assertThat(components)
                .extracting(part -> part.path("name").asText())
                .containsExactly("libffi", "OpenJDK", "GraalVM Substrate VM");
        assertThat(components.path(2).path("version").asText()).isEqualTo("25.0.4");
        assertThat(components.path(2).at("/licenses/0/expression").asText())
                .isEqualTo("GPL-2.0-only WITH Classpath-exception-2.0");
    }

    @Test
    void hasNoLibraryWithoutAJar() throws Exception {
        JsonNode bill = bill("""
                {"components": [
                  {"bom-ref": "j", "name": "jna", "version": "5"},
                  {"bom-ref": "a", "name": "jna", "version": "5", "purl": "pkg:maven/jna@5?classifier=arm&type=jar"},
                  {"bom-ref": "x", "name": "jna", "version": "5", "purl": "pkg:maven/jna@5?type=jar&classifier=x86"},
                  {"bom-ref": "s", "name": "asm", "version": "9"}],
                 "dependencies": [{"ref": "j", "dependsOn": ["a", "s"]}, {"ref": "a"}, {"ref": "b", "dependsOn": ["a", "j"]}]}
                """, RELEASE);

        assertThat(bill.path("components"))
                .extracting(part -> part.path("bom-ref").asText())
                .containsExactly("j", "x", "libffi", "java-runtime");
        assertThat(bill.path("dependencies"))
                .hasToString("[{\"ref\":\"j\",\"dependsOn\":[]},{\"ref\":\"b\",\"dependsOn\":[\"j\"]}]");
    }

    @Test
    void refusesABillWithoutComponents() {
        assertThatThrownBy(() -> bill("{}", RELEASE)).hasMessageContaining("bom.json is no CycloneDX document");
    }

    @Test
    void namesWhatARuntimeDoesNotTell() {
        assertThatThrownBy(() -> bill("{\"components\": []}", "IMPLEMENTOR=\"A\"\n"))
                .hasMessageContaining("release does not say JAVA_RUNTIME_VERSION");
    }

    private JsonNode bill(String jars, String release) throws IOException {
        Path bill = Files.writeString(directory.resolve("bom.json"), jars);
        Path file = Files.writeString(directory.resolve("release"), release);
        return Json.parse(MaterialsBill.withRuntime(bill, directory, file, Optional.empty()));
    }
}
