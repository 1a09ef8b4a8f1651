package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadPlanTest {

    @TempDir
    Path folder;

    @Test
    void anUnchangedConfigurationChangesNothing() {
        AgentConfig config = new ConfigFixture(folder).config();

        ReloadPlan plan = between(config, config);

        assertThat(plan.applied()).isEmpty();
        assertThat(plan.needRestart()).isEmpty();
        assertThat(ConfigFixture.texts(plan.config())).isEqualTo(ConfigFixture.texts(config));
    }

    @Test
    void levelIntervalAndPublicationTakeEffectAtOnce() {
        AgentConfig running = new ConfigFixture(folder).config();
        AgentConfig loaded = new ConfigFixture(folder)
                .set("log.level=debug")
                .set("inventory.interval=10s")
                .set("publication.withoutClique=false")
                .set("publication.cliqueLabel=true")
                .config();

        ReloadPlan plan = between(running, loaded);

        assertThat(plan.applied())
                .extracting(ReloadPlan.ConfigChange::toString)
                .containsExactly(
                        "publication.withoutClique true -> false",
                        "publication.cliqueLabel false -> true",
                        "inventory.interval 30s -> 10s",
                        "log.level info -> debug");
        assertThat(plan.needRestart()).isEmpty();
        assertThat(ConfigFixture.texts(plan.config())).isEqualTo(ConfigFixture.texts(loaded));
    }

    /** Beside the value that runs on it is a fault at start. */
    @Test
    void withoutCliqueWaitsWithTheValueThatItDoesNotGoTogetherWith() {
        AgentConfig running =
                new ConfigFixture(folder).set("imex.cliqueMissing=Succeed").config();
        AgentConfig loaded =
                new ConfigFixture(folder).set("publication.withoutClique=false").config();

        ReloadPlan plan = between(running, loaded);

        assertThat(plan.waiting()).containsExactlyInAnyOrder("imex.cliqueMissing", "publication.withoutClique");
        assertThat(ConfigFixture.texts(plan.config())).isEqualTo(ConfigFixture.texts(running));
    }

    /** It is looked for until it is there. */
    @Test
    void aKubeconfigThatHasComeWaitsForNothing() {
        AgentConfig running = new ConfigFixture(folder).config();
        AgentConfig loaded =
                new ConfigFixture(folder).kubelets("/var/lib/k0s/kubelet.conf").config();

        assertThat(between(running, loaded).needRestart()).isEmpty();
        assertThat(between(
                                loaded,
                                new ConfigFixture(folder)
                                        .set("kubernetes.kubeconfig=/own")
                                        .config())
                        .needRestart())
                .singleElement()
                .satisfies(change -> assertThat(change.toString()).endsWith("/var/lib/k0s/kubelet.conf -> /own"));
    }

    @Test
    void everythingElseWaitsForARestart() {
        AgentConfig running = new ConfigFixture(folder).config();
        AgentConfig loaded = new ConfigFixture(folder)
                .set("http.port=1")
                .set("kubelet.uid=1000")
                .set("inventory.interval=10s")
                .config();

        ReloadPlan plan = between(running, loaded);

        assertThat(plan.needRestart())
                .extracting(ReloadPlan.ConfigChange::toString)
                .containsExactly("kubelet.uid (unset) -> 1000", "http.port 9408 -> 1");
        assertThat(plan.config().http().port()).isEqualTo(9408);
        assertThat(plan.config().inventoryInterval()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void theAppliedConfigurationDiffersFromTheLoadedOneInNothingButWhatNeedsARestart() {
        AgentConfig running = new ConfigFixture(folder).config();
        for (ConfigKey key : ConfigKeys.ALL) {
            if (key.path().startsWith("http.tls")) {
                continue;
            }
            AgentConfig loaded = new ConfigFixture(folder)
                    .set(key.path() + "=" + another(key))
                    .set("imex.isolation=None")
                    .set("rdma.include=mlx5_9") // without it rdma.includeUplinks is a fault
                    .config();

            AgentConfig applied = between(running, loaded).config();

            assertThat(key.textIn(applied).equals(key.textIn(loaded)))
                    .as(key.path())
                    .isEqualTo(key.reloadable());
        }
    }

    /** A value that is not the default. */
    private static String another(ConfigKey key) {
        return Stream.concat(
                        key.choices().stream(),
                        Stream.of(
                                "12",
                                "7s",
                                "7m",
                                "/another",
                                "another",
                                "127.0.0.7",
                                "another:1",
                                "a1b2:c3d4",
                                "a1b2",
                                "https://another.example"))
                .filter(text -> key.parse(text).isPresent() && !text.equals(key.sample()))
                .findFirst()
                .orElseThrow();
    }

    private static ReloadPlan between(AgentConfig running, AgentConfig loaded) {
        return ReloadPlan.between(running, loaded, key -> true);
    }
}
