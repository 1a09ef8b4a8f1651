package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Full and read-only file systems, which are real ones. */
@ExtendWith(Worlds.class)
class DiskE2e {

    /** A directory that a claim needs. */
    enum Place {
        /** Where the checkpoint is. */
        CHECKPOINT,
        /** Where CDI specs are. */
        CDI;

        Path of(World world) {
            return switch (this) {
                case CHECKPOINT -> world.host().pluginDirectory();
                case CDI -> world.host().cdiDirectory();
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPrepareOnAFullDiskNamesItAndSucceedsOnceThereIsRoom(Place place, World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        try (Mounts mounts = new Mounts()) {
            mounts.small(place.of(world));
            AgentProcess agent = world.startServing();
            Mounts.fill(place.of(world));

            assertThat(World.refusal(world.prepare(workload)))
                    .contains(place.of(world).toString())
                    .contains("No space left on device", "free space", "[effect_failed]");
            assertThat(agent.isAlive()).isTrue();

            Mounts.free(place.of(world));
            world.awaitPrepared(agent, workload);
            assertThat(world.host().cdiFiles(workload.claim().uid())).hasSize(1);
            assertThat(world.checkpoint()).contains(workload.claim().uid());
        }
    }

    @Test
    void anUnprepareOnAFullDiskLosesNothing(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        try (Mounts mounts = new Mounts()) {
            Path folder = Place.CHECKPOINT.of(world);
            mounts.small(folder);
            AgentProcess agent = world.startServing();
            world.awaitPrepared(agent, workload);
            Mounts.fill(folder);

            assertThat(World.refusal(world.unprepare(workload))).contains(folder.toString(), "No space left on device");

            agent.kill();
            Mounts.free(folder);
            AgentProcess second = world.startServing();
            world.awaitUnprepared(second, workload);
            assertThat(world.host().cdiFiles()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReadOnlyDirectoryIsNamedAndFoundWritableAgain(Place place, World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        try (Mounts mounts = new Mounts()) {
            AgentProcess agent = world.startServing();
            agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
            mounts.readOnly(place.of(world));

            assertThat(World.refusal(world.prepare(workload)))
                    .contains(place.of(world).toString())
                    .contains("Read-only file system", "[effect_failed]");
            agent.awaitTrue("no readiness", () -> world.get(agent, "/readyz").startsWith("503"));

            mounts.undo();
            world.awaitPrepared(agent, workload);
        }
    }

    @Test
    void anAgentOnAReadOnlyPluginDirectoryIsRefusedWithItsName(World world) throws Exception {
        try (Mounts mounts = new Mounts()) {
            Path folder = Place.CHECKPOINT.of(world);
            mounts.readOnly(folder);

            AgentProcess agent = world.start(world.launch());

            assertThat(agent.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", agent.log()))
                    .contains(folder.toString(), "Read-only file system")
                    .doesNotContain("\tat ");
            assertThat(world.host().registrationSocket()).doesNotExist();
        }
    }

    @Test
    void anAgentWithAFullStateDirectorySaysSoAndServesOnceThereIsRoom(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        try (Mounts mounts = new Mounts()) {
            Path folder = world.host().stateDirectory();
            mounts.small(folder);
            Mounts.fill(folder);

            AgentProcess refused = world.start(world.launch());

            assertThat(refused.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", refused.log())).contains(folder.toString(), "No space left on device");

            Mounts.free(folder);
            AgentProcess agent = world.startServing();
            world.awaitPrepared(agent, workload);
        }
    }
}
