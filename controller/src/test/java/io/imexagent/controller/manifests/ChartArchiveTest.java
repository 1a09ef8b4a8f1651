package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart as a release has it, read by Helm itself. */
class ChartArchiveTest {
    private static final Path FILES = Cluster.checkout().resolve("packaging");

    @TempDir
    private Path folder;

    @Test
    void rendersAsTheFolderDoes() throws Exception {
        assertThat(rendered(packed("one"))).isNotEmpty().isEqualTo(rendered(FILES.resolve("kubernetes/chart")));
    }

    @Test
    void hasTheSameBytesEachTime() throws Exception {
        assertThat(packed("one")).hasSameBinaryContentAs(packed("another"));
    }

    private static String rendered(Path chart) {
        return new Helm(chart)
                .template()
                .withName("imex-agent")
                .withKubeVersion("1.36.0")
                .call();
    }

    private Path packed(String name) throws IOException, InterruptedException {
        Path target = folder.resolve(name);
        assertThat(new ProcessBuilder(FILES.resolve("pack-chart").toString(), target.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        try (DirectoryStream<Path> archives = Files.newDirectoryStream(target, "imex-agent-*.tgz")) {
            return archives.iterator().next();
        }
    }
}
