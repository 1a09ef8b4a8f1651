package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.process.ServiceManagerDouble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the agent tells the service manager that has started it. */
@ExtendWith(Worlds.class)
class ServiceManagerIT {

    @Test
    void isReadyOnceItServesAndSaysWhatTheNodeIs(World world) throws Exception {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess agent = world.start(manager.notified(world.launch()));

            String ready = manager.await(agent, message -> message.contains("READY=1"));

            assertThat(world.host().draSocket()).exists();
            assertThat(world.host().registrationSocket()).exists();
            assertThat(ready).contains("STATUS=GB200, clique ").contains(", channel major 507, ");
            // The kubelet may come before the first reading of the node has ended.
            if (!ready.contains(", registered, 0 claims prepared")) {
                manager.await(agent, message -> message.contains(", registered, 0 claims prepared"));
            }
            // The agent knows of its registration before the kubelet has written it down.
            world.kubelet().awaitPlugin(AgentProcess.LONG);
            world.awaitPrepared(agent, world.schedule(1));
            String serving = manager.await(
                    agent, message -> message.contains("STATUS=") && message.contains(", 1 claim prepared"));
            // Both may have come between two looks, and be told in one message.
            if (!serving.contains("; IMEX domain UP 2/2")) {
                manager.await(agent, message -> message.contains("; IMEX domain UP 2/2"));
            }
            assertThat(agent.terminate()).isZero();
            manager.await(agent, message -> message.startsWith("STOPPING=1"));
        }
    }

    @Test
    void isReadyOnANodeWithoutDriverToo(World world) throws Exception {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            Path empty = Files.createDirectories(world.directory().resolve("no-driver"));
            world.host().withoutChannelMajor();
            AgentProcess agent = world.without("nvml.simulate")
                    .with("host.driverRoot", empty.toString())
                    .with("featureGates.HostManagedIMEX", "false")
                    .start(manager.notified(world.launch()));

            assertThat(manager.await(agent, message -> message.contains("READY=1")))
                    .contains("STATUS=no driver, clique unknown, no channel major, observing only");
        }
    }

    /** The launcher's process becomes the agent's, and so has the ID that systemd gave. */
    @Test
    void aServiceDoesNotServeASimulationUnlessItIsForced(World world) throws Exception {
        Path launcher = world.directory().resolve("as-service");
        Path text = Files.writeString(
                world.directory().resolve("as-service.txt"),
                "#!/bin/sh\nSYSTEMD_EXEC_PID=$$ exec " + Checkout.find().executable() + " \"$@\"\n");
        // Another process writes it: one that is forked here meanwhile would keep it open, and the kernel starts no
        // such file.
        var install = new ProcessBuilder("install", "-m", "755", text.toString(), launcher.toString());
        assertThat(install.inheritIO().start().waitFor()).isZero();
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess refused = world.start(manager.notified(world.launch()).executable(launcher));

            assertThat(refused.awaitExit()).isEqualTo(78);
            manager.await(refused, message -> message.contains("STATUS=cannot serve: nvml.simulate is set"));
            assertThat(world.host().draSocket()).doesNotExist();

            AgentProcess forced = world.start(
                    manager.notified(world.launch()).executable(launcher).arguments("--force"));
            manager.await(forced, message -> message.contains("READY=1"));
            assertThat(world.metric(forced, "imex_agent_simulated")).isEqualTo(1);
            assertThat(world.metric(forced, "imex_agent_findings{code=\"nvml-simulated\""))
                    .isEqualTo(1);
        }
    }

    @Test
    void aReloadBeginsAndEndsAndNamesWhatWaitsForARestart(World world) throws Exception {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess agent = world.start(manager.notified(world.launch()));
            manager.await(agent, message -> message.contains("READY=1"));

            world.with("log.level", "debug").with("prepare.answerWithin", "9s").launch();
            agent.hangUp();

            String reloading = manager.await(agent, message -> message.startsWith("RELOADING=1"));
            assertThat(reloading).containsPattern("\nMONOTONIC_USEC=[1-9][0-9]*\n");
            manager.await(
                    agent,
                    message -> message.startsWith("READY=1")
                            && message.endsWith("; waits for a restart: prepare.answerWithin"));
            agent.awaitLine("log.level info -> debug");

            world.with("inventory.interval", "soon").launch();
            agent.hangUp();

            manager.await(
                    agent,
                    message -> message.startsWith("READY=1")
                            && message.endsWith("; the configuration has faults, the previous one stays in force"));
        }
    }

    @Test
    void feedsTheWatchdogWhileItWorks(World world) throws Exception {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess agent = world.start(manager.notified(world.launch()).environment("WATCHDOG_USEC", "1000000"));
            manager.await(agent, message -> message.contains("READY=1"));

            for (int fed = 0; fed < 3; fed++) {
                manager.await(agent, message -> message.equals("WATCHDOG=1"));
            }
        }
    }

    @Test
    void saysWhyItCannotServe(World world) throws Exception {
        AgentProcess first = world.startServing();
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess second = world.start(manager.notified(world.launch()));

            // Of the two only the first lives long enough to be waited with.
            manager.await(first, message -> message.contains("STATUS=cannot serve: "));

            assertThat(second.awaitExit()).isEqualTo(1);
            assertThat(manager.received()).noneMatch(message -> message.contains("READY=1"));
        }
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    void linesForTheJournalHaveAPriorityOnlyWhereItReadsThem(World world) throws Exception {
        AgentProcess elsewhere = world.start(world.launch().environment("JOURNAL_STREAM", "1:2"));
        List<String> lines = List.of(elsewhere.awaitLine("imex-agent starting"));

        assertThat(lines).allMatch(line -> !line.startsWith("<6>"));
    }

    @Test
    void linesForCollectorsHaveTheFieldsOfAClaim(World world) throws Exception {
        AgentProcess agent = world.with("log.format", "json").startServing();
        ClaimedPod pod = world.schedule(1);
        world.awaitPrepared(agent, pod);

        JsonNode prepared = new ObjectMapper().readTree(agent.awaitLine("claim prepared"));

        assertThat(prepared.get("claimUid").asText()).isEqualTo(pod.claim().uid());
        assertThat(prepared.get("node").asText()).isEqualTo(World.NODE);
        assertThat(prepared.get("messageId").asText()).isEqualTo("41b030d93e704cc6ba8842de321ba0a0");
        assertThat(prepared.get("level").asText()).isEqualTo("INFO");
    }
}
