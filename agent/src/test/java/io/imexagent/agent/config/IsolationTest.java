package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.Sharing;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of mode and isolation. */
class IsolationTest {

    @TempDir
    Path folder;

    private ConfigFixture given = new ConfigFixture(Path.of("/"));

    @BeforeEach
    void anEmptyFolder() {
        given = new ConfigFixture(folder);
    }

    @Test
    void isIgnoredWhileHostManagedImexIsOff() {
        for (Isolation isolation : Isolation.values()) {
            AgentConfig effective = new ConfigFixture(folder)
                    .set("imex.isolation=" + isolation.text())
                    .config();

            assertThat(effective.imex().isolation()).contains(isolation);
            assertThat(effective.notes())
                    .contains("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes");
        }
    }

    @Test
    void theLabelOfTheCliqueIsIgnoredThenToo() {
        String note = "HostManagedIMEX is disabled; publication.cliqueLabel=true is ignored, this agent only observes"
                + " and labels nothing";

        assertThat(new ConfigFixture(folder).config().notes()).doesNotContain(note);
        assertThat(new ConfigFixture(folder)
                        .set("publication.cliqueLabel=true")
                        .config()
                        .notes())
                .contains(note);
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: None\npublication:\n  cliqueLabel:"
                + " true\n");
        assertThat(given.config().notes()).doesNotContain(note);
    }

    @Test
    void placementByCliqueWithoutTheLabelIsNoted() {
        String note =
                "placement.clique=Required with publication.cliqueLabel=false: pods are kept together only on Nodes"
                        + " that GPU feature discovery labels with nvidia.com/gpu.clique";

        assertThat(new ConfigFixture(folder).config().notes()).doesNotContain(note);
        assertThat(new ConfigFixture(folder)
                        .set("placement.clique=Required")
                        .config()
                        .notes())
                .contains(note);
        assertThat(new ConfigFixture(folder)
                        .set("placement.clique=Required")
                        .set("publication.cliqueLabel=true")
                        .config()
                        .notes())
                .doesNotContain(note);
    }

    @Test
    void mustBeAValueEvenWhileItIsIgnored() {
        given.set("imex.isolation=none");

        assertThat(given.faults())
                .containsExactly(
                        "flag --set: imex.isolation: \"none\" is not one of None, IMEXChannel, IMEXDomain, or in"
                                + " the public driver's words one of domain, channel");
    }

    @Test
    void mustBeChosenUnderHostManagedImex() {
        given.file("featureGates:\n  HostManagedIMEX: true\n");

        assertThat(given.faults())
                .containsExactly("imex.isolation: is not set, and HostManagedIMEX needs an explicit choice:"
                        + " None (" + Isolation.NONE.meaning() + "),"
                        + " IMEXChannel (" + Isolation.IMEX_CHANNEL.meaning() + "),"
                        + " IMEXDomain (" + Isolation.IMEX_DOMAIN.meaning()
                        + "; not in this version); the public driver's"
                        + " default is not taken: its domain is None, its channel IMEXChannel");
    }

    @Test
    void noneIsServed() {
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: None\n");

        assertThat(given.config().imex().isolation()).contains(Isolation.NONE);
    }

    @Test
    void imexChannelIsAChoice() {
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: IMEXChannel\n");

        assertThat(given.config().imex().isolation()).contains(Isolation.IMEX_CHANNEL);
    }

    @Test
    void sharingFollowsTheIsolationUnlessItIsChosen() {
        assertThat(sharing("None", "")).isEqualTo(Sharing.NONE);
        assertThat(sharing("IMEXChannel", "")).isEqualTo(Sharing.DOMAIN);
        assertThat(sharing("IMEXChannel", "\n  sharing: None")).isEqualTo(Sharing.NONE);
        assertThat(sharing("None", "\n  sharing: Domain")).isEqualTo(Sharing.DOMAIN);
    }

    @Test
    void sharingIsNoneOrDomain() {
        given.set("imex.sharing=All");

        assertThat(given.faults()).containsExactly("flag --set: imex.sharing: \"All\" is not one of None, Domain");
    }

    @Test
    void sharingOfChannelZeroIsNoted() {
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: None\n  sharing: Domain\n");

        assertThat(given.config().notes())
                .anyMatch(
                        note -> note.startsWith("imex.sharing=Domain with imex.isolation=None: the scheduler cannot"));
    }

    private Sharing sharing(String isolation, String more) {
        var configured = new ConfigFixture(folder);
        configured.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: " + isolation + more + "\n");
        return configured.config().imex().sharingInForce();
    }

    @Test
    void imexDomainCannotBeServed() {
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: IMEXDomain\n");

        assertThat(given.faults())
                .singleElement()
                .asString()
                .startsWith("FILE:4: imex.isolation: IMEXDomain means")
                .contains("under HostManagedIMEX it cannot be served");
    }
}
