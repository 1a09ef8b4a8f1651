package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.setting.RdmaSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaConfigTest {

    @TempDir
    Path folder;

    private ConfigFixture given;

    @BeforeEach
    void anEmptyFolder() {
        given = new ConfigFixture(folder);
    }

    @Test
    void isOffWithTheDefaultsOfTheModule() {
        RdmaSettings rdma = given.config().rdma();

        assertThat(rdma.enabled()).isFalse();
        assertThat(rdma.exclude()).isEqualTo("^eth[0-9]+$");
        assertThat(rdma.storageDevices()).isEmpty();
        assertThat(rdma.include()).isEmpty();
    }

    @Test
    void takesListsWithCommasAndBlanks() {
        given.file("""
            rdma:
              enabled: true
              include: rdma0, mlx5_1,rdma0
              exclude: ""
              nodeAddresses: 192.0.2.7,2001:db8::7
            """);

        RdmaSettings rdma = given.config().rdma();

        assertThat(rdma.enabled()).isTrue();
        assertThat(rdma.include()).containsExactly("rdma0", "mlx5_1");
        assertThat(rdma.exclude()).isEmpty();
        assertThat(rdma.nodeAddresses()).containsExactly("192.0.2.7", "2001:db8::7");
    }

    @Test
    void namesEveryFaultWithAnExample() {
        given.file("""
            rdma:
              exclude: "(eth"
              include: rdma0,,rdma1
              uplinks: eth0:1
              nodeAddresses: node-1
              storageDevices: BlueField
            """);

        assertThat(given.faults())
                .hasSize(5)
                .anyMatch(fault -> fault.contains("rdma.exclude") && fault.contains("a regular expression"))
                .anyMatch(fault -> fault.contains("rdma.include") && fault.contains("such as rdma0,rdma1"))
                .anyMatch(fault -> fault.contains("rdma.uplinks") && fault.contains("such as eth0,eth1"))
                .anyMatch(fault -> fault.contains("rdma.nodeAddresses") && fault.contains("IP addresses"))
                .anyMatch(fault -> fault.contains("rdma.storageDevices") && fault.contains("such as 15b3:a2dc"));
    }

    @Test
    void theSwitchForUplinksAloneIsAFault() {
        given.set("rdma.includeUplinks=true");

        assertThat(given.faults())
                .singleElement()
                .asString()
                .contains("rdma.includeUplinks", "is set without rdma.include");
    }

    @Test
    void everythingButTheSwitchTakesEffectWithoutARestart() {
        AgentConfig running = given.config();
        AgentConfig loaded = new ConfigFixture(folder)
                .set("rdma.enabled=true")
                .set("rdma.include=rdma0")
                .set("rdma.strict=true")
                .config();

        ReloadPlan plan = ReloadPlan.between(running, loaded, key -> true);

        assertThat(plan.applied()).map(ReloadPlan.ConfigChange::key).containsExactly("rdma.include", "rdma.strict");
        assertThat(plan.needRestart()).map(ReloadPlan.ConfigChange::key).containsExactly("rdma.enabled");
        assertThat(plan.config().rdma().enabled()).isFalse();
        assertThat(plan.config().rdma().strict()).isTrue();
    }
}
