package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What tenants write by hand, into templates and claims of their own namespaces, takes nothing from others. */
class TenantsTest {

    private static final String OTHER = "other-team";

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();

    private Bench controller(int channels) {
        return new Bench(cluster, Bench.isolated(channels), time);
    }

    private TemplateObject template(String namespace, String name, String domain, int channel) {
        return cluster.put(new TemplateObject(
                cluster.ref(namespace, name),
                false,
                List.of("other-team/holds"),
                Map.of(Names.COMPUTE_DOMAIN, domain, Names.TARGET, Names.WORKLOAD),
                new Content.Workload(
                        domain, Names.CHANNEL_CLASS, Optional.of(Names.selector(new ChannelId(channel))))));
    }

    private ClaimUse claim(String namespace, String name, Set<String> domains, int channel) {
        return cluster.put(
                new ClaimUse(cluster.ref(namespace, name), domains, Set.of(new ChannelId(channel)), Set.of("tray-1")));
    }

    private int held(Bench controller, int channels) {
        return controller
                .state()
                .channels()
                .usage(Bench.isolated(channels), time.instant())
                .held();
    }

    /** Takes the finalizers of a ComputeDomain away, as somebody with an editor does; it is gone then. */
    private void strip(DomainObject domain) {
        DomainObject now = cluster.domain(domain.ref().name());
        cluster.put(new DomainObject(now.ref(), true, List.of(), now.templateName(), "Single", true, now.channel()));
    }

    @Test
    void templatesAndClaimsThatNameNoComputeDomainOfTheirNamespaceUseUpNoChannel() {
        DomainObject first = cluster.createDomain("first", "first-channel");
        for (int channel = 1; channel < 5; channel++) {
            template(OTHER, "nobody-" + channel, "no-such-uid", channel);
            template(OTHER, "somebody-" + channel, first.ref().uid(), channel);
            claim(OTHER, "nobody-" + channel, Set.of("no-such-uid"), channel);
            claim(OTHER, "nothing-" + channel, Set.of(), channel);
            claim(OTHER, "somebody-" + channel, Set.of(first.ref().uid()), channel);
        }
        cluster.createDomain("second", "second-channel");
        Bench controller = controller(5);

        controller.settle();

        assertThat(cluster.domains()).allMatch(DomainObject::ready);
        assertThat(held(controller, 5)).isEqualTo(2);
    }

    @Test
    void aClaimWithSeveralDevicesUsesUpNoChannelAndHoldsADeletionAsEveryOther() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ClaimUse several = cluster.put(
                new ClaimUse(cluster.ref("team", "several"), Set.of(domain.ref().uid()), Set.of(), Set.of("tray-1")));
        Bench controller = controller(5);
        controller.settle();
        assertThat(held(controller, 5)).as("the ComputeDomain's own").isEqualTo(1);

        cluster.deleteDomain(domain.ref().uid());
        controller.settle();
        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.domain("train").deleting()).isTrue();

        cluster.removeClaim(several.ref().uid());
        controller.settle();
        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.domains()).isEmpty();
    }

    @Test
    void aTemplateBesideTheOneThatTheDomainAsksForUsesNoChannel() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        template("team", "another", domain.ref().uid(), 3);
        Bench controller = controller(5);

        controller.settle();

        assertThat(held(controller, 5)).isEqualTo(1);
    }

    @Test
    void whatAnotherNamespaceSaysHoldsNoDeletion() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        controller(5).settle();
        claim(OTHER, "claim", Set.of(domain.ref().uid()), 1);
        TemplateObject template = template(OTHER, "template", domain.ref().uid(), 1);
        cluster.deleteDomain(domain.ref().uid());
        Bench controller = controller(5);

        controller.settle();
        assertThat(cluster.templates()).as("while the ComputeDomain is there").containsExactly(template);
        time.pass(Bench.QUARANTINE);
        controller.settle();

        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        assertThat(held(controller, 5)).as("a channel that nobody holds").isZero();
    }

    @Test
    void whatAnotherNamespaceSaysKeepsNoChannelOfAVanishedDomain() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        controller(2).settle();
        claim(OTHER, "claim", Set.of(domain.ref().uid()), 1);
        template(OTHER, "template", domain.ref().uid(), 1);
        strip(domain);
        Bench controller = controller(2);

        controller.settle();

        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        cluster.createDomain("next", "next-channel");
        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.domain("next").channel()).contains(new ChannelId(1));
    }

    @Test
    void claimsOfAVanishedDomainsOwnNamespaceKeepItsChannel() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        controller(2).settle();
        ClaimUse claim = claim("team", "claim", Set.of(domain.ref().uid()), 1);
        strip(domain);
        cluster.createDomain("next", "next-channel");
        Bench controller = controller(2);

        controller.settle();
        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.leases().getFirst().holder()).contains(domain.ref().uid());
        assertThat(cluster.domain("next").ready()).isFalse();

        cluster.removeClaim(claim.ref().uid());
        controller.settle();
        time.pass(Bench.QUARANTINE);
        controller.settle();
        assertThat(cluster.domain("next").channel()).contains(new ChannelId(1));
    }

    @Test
    void aClaimThatCameWhileAVanishedDomainsChannelRestedKeepsItFromOthers() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        controller(2).settle();
        strip(domain);
        Bench controller = controller(2);
        controller.settle();
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        claim("team", "late", Set.of(domain.ref().uid()), 1);
        cluster.createDomain("next", "next-channel");

        time.pass(Bench.QUARANTINE);
        controller.settle();

        assertThat(cluster.domain("next").ready()).isFalse();
    }
}
