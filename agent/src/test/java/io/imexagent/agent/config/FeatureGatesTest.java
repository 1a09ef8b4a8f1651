package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeatureGatesTest {

    @TempDir
    Path folder;

    private ConfigFixture given = new ConfigFixture(Path.of("/"));

    @BeforeEach
    void anEmptyFolder() {
        given = new ConfigFixture(folder);
    }

    @Test
    void hostManagedImexForcesTheTwoGatesOffAndSaysSo() {
        given.set("featureGates.HostManagedIMEX=true").set("imex.isolation=None");

        AgentConfig effective = given.config();

        assertThat(effective.featureGates()).isEqualTo(new AgentConfig.FeatureGates(true, false, false, false));
        assertThat(effective.notes())
                .containsExactly(
                        "HostManagedIMEX is enabled; forcing IMEXDaemonsWithDNSNames=false",
                        "HostManagedIMEX is enabled; forcing ComputeDomainCliques=false",
                        "feature gates resolved HostManagedIMEX=true IMEXDaemonsWithDNSNames=false"
                                + " ComputeDomainCliques=false HostManagedIMEXDaemon=false");
        assertThat(given.valueOf("featureGates.ComputeDomainCliques"))
                .isEqualTo("false from forced by HostManagedIMEX");
    }

    @Test
    void gatesThatAreSetOnAreForcedOffTheSame() {
        given.flag("--feature-gates", "HostManagedIMEX=true,IMEXDaemonsWithDNSNames=true,ComputeDomainCliques=true")
                .flag("--isolation", "None");

        assertThat(given.config().featureGates()).isEqualTo(new AgentConfig.FeatureGates(true, false, false, false));
    }

    @Test
    void gatesThatAreOffAlreadyAreNotForced() {
        given.flag("--feature-gates", "HostManagedIMEX=true,IMEXDaemonsWithDNSNames=false,ComputeDomainCliques=false")
                .flag("--isolation", "None");

        assertThat(given.config().notes())
                .containsExactly("feature gates resolved HostManagedIMEX=true IMEXDaemonsWithDNSNames=false"
                        + " ComputeDomainCliques=false HostManagedIMEXDaemon=false");
        assertThat(given.valueOf("featureGates.ComputeDomainCliques")).isEqualTo("false from flag --feature-gates");
    }

    @Test
    void withoutHostManagedImexTheOtherGatesKeepTheirValues() {
        given.set("featureGates.ComputeDomainCliques=false");

        assertThat(given.config().featureGates()).isEqualTo(new AgentConfig.FeatureGates(false, true, false, false));
        assertThat(given.config().notes())
                .containsExactly("feature gates resolved HostManagedIMEX=false IMEXDaemonsWithDNSNames=true"
                        + " ComputeDomainCliques=false HostManagedIMEXDaemon=false");
    }

    @Test
    void quotedFalseIsFalse() {
        given.file("featureGates:\n  HostManagedIMEX: \"false\"\n  ComputeDomainCliques: 'true'\n");

        assertThat(given.config().featureGates()).isEqualTo(new AgentConfig.FeatureGates(false, true, true, false));
    }

    @Test
    void otherWordsForFalseAndTrueAreFaults() {
        for (String word : new String[] {"yes", "no", "on", "off", "True", "FALSE", "1", "0", "t", "\"\""}) {
            assertThat(new ConfigFixture(folder)
                            .file("featureGates:\n  HostManagedIMEX: " + word + "\n")
                            .faults())
                    .containsExactly("FILE:2: featureGates.HostManagedIMEX: \"" + word.replace("\"", "")
                            + "\" is not true or false");
        }
    }

    @Test
    void theEnvironmentTakesThePublicDriversForm() {
        given.environment("IMEX_AGENT_FEATURE_GATES", "ComputeDomainCliques=false, IMEXDaemonsWithDNSNames=false");

        assertThat(given.config().featureGates()).isEqualTo(new AgentConfig.FeatureGates(false, false, false, false));
        assertThat(given.valueOf("featureGates.ComputeDomainCliques"))
                .isEqualTo("false from environment IMEX_AGENT_FEATURE_GATES");
    }

    @Test
    void aGatesOwnVariableBeatsTheList() {
        given.environment("IMEX_AGENT_FEATURE_GATES", "ComputeDomainCliques=true")
                .environment("IMEX_AGENT_FEATURE_GATES_COMPUTE_DOMAIN_CLIQUES", "false");

        assertThat(given.config().featureGates().computeDomainCliques()).isFalse();
    }

    @Test
    void unknownGatesAreFaultsWithTheNearest() {
        given.flag("--feature-gates", "HostManagedIMEXx=true,TimeSlicingSettings=true,HostManagedIMEX");

        assertThat(given.faults())
                .containsExactly(
                        "flag --feature-gates: featureGates: unknown gate \"HostManagedIMEXx\"; the nearest is"
                                + " featureGates.HostManagedIMEX",
                        "flag --feature-gates: featureGates: unknown gate \"TimeSlicingSettings\"; known here:"
                                + " HostManagedIMEX, IMEXDaemonsWithDNSNames, ComputeDomainCliques,"
                                + " HostManagedIMEXDaemon",
                        "flag --feature-gates: featureGates: \"HostManagedIMEX\" is not <gate>=true or <gate>=false");
    }

    @Test
    void aGateThatStandsTwiceInAListIsAFault() {
        given.flag("--feature-gates", "ComputeDomainCliques=true,ComputeDomainCliques=false");

        assertThat(given.faults())
                .containsExactly("flag --feature-gates: featureGates: ComputeDomainCliques stands there twice");
    }

    @Test
    void aGateThatIsNeitherTrueNorFalseIsAFault() {
        given.environment("IMEX_AGENT_FEATURE_GATES", "HostManagedIMEX=yes");

        assertThat(given.faults())
                .containsExactly("environment IMEX_AGENT_FEATURE_GATES: featureGates.HostManagedIMEX: \"yes\" is not"
                        + " true or false");
    }
}
