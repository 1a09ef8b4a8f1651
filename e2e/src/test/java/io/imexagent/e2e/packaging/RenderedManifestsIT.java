package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the cluster's objects that package and release carry. */
class RenderedManifestsIT {

    @TempDir
    Path folder = Path.of("");

    @Test
    void areWhatManifestsPrintsWhateverThisMachinesConfigurationIs() throws Exception {
        Checkout checkout = Checkout.find();
        Path program = Files.writeString(
                folder.resolve("imex-agent"),
                "#!/bin/sh\nIMEX_AGENT_JAVA_HOME='" + System.getProperty("java.home") + "' exec '"
                        + checkout.executable() + "' \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path rendered = folder.resolve("manifests");
        ProcessBuilder script = new ProcessBuilder(
                        checkout.root().resolve("packaging/rpm/manifests").toString(),
                        program.toString(),
                        rendered.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        script.environment().put("IMEX_AGENT_CONTROLLER_NAMESPACE", "of-this-machine");

        assertThat(script.start().waitFor())
                .as(Files.readString(folder.resolve("log")))
                .isZero();
        for (Isolation isolation : new Isolation[] {Isolation.NONE, Isolation.IMEX_CHANNEL}) {
            var options = new ManifestOptions(
                    true,
                    isolation,
                    false,
                    ManifestOptions.NAMESPACE,
                    ManifestOptions.CONTROLLER_USER,
                    false,
                    false,
                    false,
                    false);
            assertThat(rendered.resolve(isolation.text() + ".yaml")).content().isEqualTo(Manifests.of(options));
        }
    }
}
