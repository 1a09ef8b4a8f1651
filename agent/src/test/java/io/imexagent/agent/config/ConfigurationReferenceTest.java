package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationReferenceTest {

    @TempDir
    Path folder;

    @Test
    void theCheckedInReferenceIsCurrent() throws IOException {
        GeneratedDocument.isCurrent("configuration.md", ConfigurationReference.markdown());
    }

    @Test
    void theCheckedInExampleIsCurrent() throws IOException {
        GeneratedDocument.isCurrent("config.example.yaml", ExampleFile.text());
    }

    @Test
    void theReferenceNamesEveryKeyItsVariableAndItsFlag() {
        String reference = ConfigurationReference.markdown();

        assertThat(ConfigKeys.ALL).allSatisfy(key -> {
            assertThat(reference).contains("**`" + key.path() + "`**", "`" + key.environmentVariable() + "`");
            key.flag().ifPresent(flag -> assertThat(reference).contains("`" + flag + "`"));
        });
    }

    @Test
    void tenKeysStandOnTopAndEachIsOneOfTheReference() {
        String reference = ConfigurationReference.markdown();
        String top = reference.substring(reference.indexOf("## Ten keys"), reference.indexOf("## Keys"));

        assertThat(ConfigurationReference.OFTEN_SET)
                .hasSize(10)
                .extracting(ConfigurationReference.OftenSet::path)
                .doesNotHaveDuplicates()
                .allSatisfy(path -> assertThat(top).contains("| `" + path + "` |"));
    }

    @Test
    void theExampleIsValidAndChangesNothing() {
        AgentConfig defaults = new ConfigFixture(folder).config();

        assertThat(ConfigFixture.texts(
                        new ConfigFixture(folder).file(ExampleFile.text()).config()))
                .isEqualTo(ConfigFixture.texts(defaults));
    }

    @Test
    void theExampleWithItsValuesInForceSetsEveryKeyToItsSample() {
        String inForce = ExampleFile.text().replaceAll("(?m)^( *)#(\\S)", "$1$2");

        AgentConfig config = new ConfigFixture(folder).file(inForce).config();

        assertThat(ConfigKeys.ALL)
                .allSatisfy(key -> assertThat(key.textIn(config)).contains(key.sample()));
    }
}
