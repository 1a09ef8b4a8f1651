package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Objects that come back from a backup, as they were, beside what has happened since. */
class BackupsTest {

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();

    private Bench controller() {
        return new Bench(cluster, Bench.isolated(8), time);
    }

    /** A ComputeDomain with the status of the backup, and a UID of its own. */
    private DomainObject restored(String name, int channel) {
        return cluster.put(new DomainObject(
                cluster.ref("team", name),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                name + "-channel",
                "Single",
                true,
                Optional.of(new ChannelId(channel))));
    }

    private TemplateObject template(DomainObject domain, int channel) {
        return cluster.put(new TemplateObject(
                cluster.ref("team", domain.templateName()),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                Map.of(Names.COMPUTE_DOMAIN, domain.ref().uid(), Names.TARGET, Names.WORKLOAD),
                new Content.Workload(
                        domain.ref().uid(), Names.CHANNEL_CLASS, Optional.of(Names.selector(new ChannelId(channel))))));
    }

    @Test
    void ofTwoDomainsThatClaimOneChannelTheLedgersKeepsItAndTheOtherIsTold() {
        DomainObject owner = cluster.createDomain("owner", "owner-channel");
        controller().settle();
        DomainObject restored = restored("restored", 1);
        ClaimUse claim = cluster.claim(template(restored, 1), "pod-claim", Optional.of(new ChannelId(1)));
        Bench controller = controller();

        controller.settle();

        assertThat(cluster.domain("owner").ready()).isTrue();
        assertThat(cluster.domain("owner").channel()).contains(new ChannelId(1));
        assertThat(cluster.domain("restored").ready()).isFalse();
        assertThat(cluster.domain("restored").channel())
                .as("claims for the other's channel are refused from now on")
                .contains(new ChannelId(2));
        assertThat(cluster.events()).singleElement().satisfies(event -> {
            assertThat(event.warning()).isTrue();
            assertThat(event.about().name()).isEqualTo("restored");
            assertThat(event.reason()).isEqualTo("ChannelConflict");
            assertThat(event.message())
                    .contains("channel 1", owner.ref().uid(), "team/pod-claim", "asks for channel 2");
        });

        cluster.removeClaim(claim.ref().uid());
        controller.settle();
        assertThat(cluster.domain("restored").ready()).isTrue();
        assertThat(cluster.events()).hasSize(1);
    }

    @Test
    void aDeletedDomainInConflictStaysUntilItsClaimsAreGone() {
        DomainObject owner = cluster.createDomain("owner", "owner-channel");
        controller().settle();
        DomainObject restored = restored("restored", 1);
        ClaimUse claim = cluster.claim(template(restored, 1), "pod-claim", Optional.of(new ChannelId(1)));
        cluster.deleteDomain(restored.ref().uid());
        Bench controller = controller();

        controller.settle();

        assertThat(cluster.domain("restored").finalizers()).containsExactly(Names.COMPUTE_DOMAIN);
        assertThat(cluster.events()).extracting(EventDraft::reason).containsExactly("ClaimsAlive");
        cluster.removeClaim(claim.ref().uid());
        controller.settle();
        assertThat(cluster.domains())
                .extracting(domain -> domain.ref().uid())
                .containsExactly(owner.ref().uid());
        assertThat(cluster.leases().getFirst().holder()).contains(owner.ref().uid());
    }

    @Test
    void aDeletedDomainTakesNoChannelBackThatAStatusSaysIsAnothersWhereTheLedgerIsLost() {
        cluster.createDomain("owner", "owner-channel");
        controller().settle();
        cluster.removeLease("imex-channel-1");
        DomainObject restored = restored("restored", 1);
        cluster.deleteDomain(restored.ref().uid());
        DomainObject owner = cluster.domain("owner");
        Bench controller = controller();
        controller.reconciler().reconcile(restored.ref().uid());

        assertThat(cluster.leases()).isEmpty();
        assertThat(cluster.domains()).containsExactly(owner);
        controller.settle();
        assertThat(cluster.leases().getFirst().holder()).contains(owner.ref().uid());
        assertThat(cluster.domain("owner").channel()).contains(new ChannelId(1));
    }

    @Test
    void twoRestoredDomainsOfOneChannelWithoutALedgerEachGetAnother() {
        restored("red", 1);
        restored("blue", 1);

        controller().settle();

        assertThat(cluster.domains()).allMatch(DomainObject::ready);
        assertThat(cluster.domain("red").channel())
                .isNotEqualTo(cluster.domain("blue").channel());
    }

    @Test
    void anOlderLedgerEntryDoesNotShortenTheRestOfADeletedDomainsChannel() {
        DomainObject before = cluster.createDomain("before", "before-channel");
        controller().settle();
        cluster.deleteDomain(before.ref().uid());
        controller().settle();
        var released = cluster.leases().getFirst();
        time.pass(Bench.QUARANTINE);
        controller().settle();
        DomainObject domain = restored("train", 1);
        ClaimUse claim = cluster.claim(template(domain, 1), "pod-claim", Optional.of(new ChannelId(1)));
        cluster.deleteDomain(domain.ref().uid());
        Bench controller = controller();
        assertThat(released.holder()).as("the entry is another's, of long ago").isEmpty();

        controller.settle();
        assertThat(cluster.leases().getFirst().holder()).contains(domain.ref().uid());
        cluster.removeClaim(claim.ref().uid());
        controller.settle();
        assertThat(cluster.domains()).as("while the channel rests").hasSize(1);

        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.domains()).isEmpty();
    }

    /** What the ledger said of a channel when the backup was made. */
    private void restoredEntry(int channel, DomainObject holder) {
        cluster.put(new LeaseObject(
                cluster.ref("imex-agent", Names.entry(new ChannelId(channel))),
                LedgerEntry.taken(holder, Bench.BEGIN, Optional.empty())));
    }

    @Test
    void aRestoredStatusTakesNoChannelThatClaimsOfAnotherStillHave() {
        DomainObject moved = restored("moved", 2);
        restoredEntry(2, moved);
        cluster.put(new ClaimUse(
                cluster.ref("team", "old-claim"),
                Set.of(moved.ref().uid()),
                Set.of(new ChannelId(1)),
                Set.of("tray-1")));
        restored("train", 1);

        controller().settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.domain("train").channel()).contains(new ChannelId(3));
        assertThat(cluster.domain("moved").channel()).contains(new ChannelId(2));
    }

    @Test
    void anOldLedgerEntryGivesNobodyAChannelThatAnotherUses() {
        DomainObject user = restored("user", 1);
        template(user, 1);
        DomainObject old = cluster.createDomain("old", "old-channel");
        restoredEntry(1, old);
        Bench controller = controller();

        controller.reconciler().reconcile(old.ref().uid());

        assertThat(cluster.domain("old").channel()).contains(new ChannelId(2));
        assertThat(cluster.domain("user").channel()).contains(new ChannelId(1));
        controller.settle();
        assertThat(cluster.domains()).allMatch(DomainObject::ready);
        assertThat(cluster.domain("user").channel())
                .isNotEqualTo(cluster.domain("old").channel());
    }
}
