package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.object.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a hang-up changes in an agent that runs. */
@ExtendWith(Worlds.class)
class ReloadIT {

    @Test
    void theNodeLabelComesAndGoesWithItsKey(World world) throws Exception {
        AgentProcess agent = world.with("publication.cliqueLabel", "false").startServing();
        assertThat(label(world)).isEmpty();

        reload(world, agent, "publication.cliqueLabel", "true");
        agent.awaitTrue("the label", () -> label(world).endsWith(".32766"));

        reload(world, agent, "publication.cliqueLabel", "false");
        agent.awaitLine("publication.cliqueLabel true -> false");
        agent.awaitTrue("the label to go", () -> label(world).isEmpty());
    }

    @Test
    void aFaultyConfigurationChangesNothing(World world) throws Exception {
        AgentProcess agent = world.with("publication.cliqueLabel", "true").startServing();
        agent.awaitTrue("the label", () -> !label(world).isEmpty());

        reload(world, agent, "log.level", "loud");

        agent.awaitLine("configuration not reloaded");
        assertThat(label(world)).isNotEmpty();
        agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
    }

    @Test
    void whatCannotBeAppliedIsTold(World world) throws Exception {
        AgentProcess agent = world.startServing();

        reload(world, agent, "prepare.answerWithin", "3s");

        assertThat(agent.awaitLine("waits for a restart")).contains("prepare.answerWithin 2s -> 3s");
    }

    @Test
    void aReloadThatChangesNothingSaysSo(World world) throws Exception {
        AgentProcess agent = world.startServing();

        agent.hangUp();

        agent.awaitLine("configuration loaded again, nothing has changed");
    }

    @Test
    void anAgentThatWasStartedWithHangUpsIgnoredSaysThatItCannotBeReloaded(World world) throws Exception {
        AgentProcess agent = world.start(world.launch().ignoringHangUps());

        agent.awaitLine("HUP is ignored since the start");
    }

    private static void reload(World world, AgentProcess agent, String key, String value) throws Exception {
        world.with(key, value).settings().write(world.directory().resolve("config.yaml"));
        agent.hangUp();
    }

    private static String label(World world) {
        return world.api().list(ResourceType.NODES).stream()
                .filter(node -> node.at("/metadata/name").asText().equals(World.NODE))
                .map(node -> node.path("metadata")
                        .path("labels")
                        .path(DriverNames.CLIQUE_LABEL)
                        .asText())
                .findFirst()
                .orElseThrow();
    }
}
