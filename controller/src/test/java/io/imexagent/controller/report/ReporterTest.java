package io.imexagent.controller.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
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

class ReporterTest {

    private static final ChannelId ONE = new ChannelId(1);

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();
    private final Reporter reporter = new Reporter(Bench.isolated(8));

    private Bench settled() {
        var controller = new Bench(cluster, Bench.isolated(8), time);
        controller.settle();
        return controller;
    }

    /** What a process sees that has just listed everything. */
    private ClusterReport report(Optional<Map<String, Set<ChannelId>>> published) {
        return reporter.report(new Bench(cluster, Bench.isolated(8), time).state(), time.instant(), published);
    }

    private ClusterReport report() {
        return report(Optional.empty());
    }

    private ClaimUse claim() {
        return cluster.claim(cluster.templates().getFirst(), "pod-claim", Optional.of(ONE));
    }

    /** The ComputeDomain and its template are gone, without the controller. */
    private void vanish(DomainObject domain) {
        DomainObject now = cluster.domain(domain.ref().name());
        cluster.put(new DomainObject(now.ref(), true, List.of(), now.templateName(), "Single", true, now.channel()));
        for (TemplateObject template : cluster.templates()) {
            cluster.put(new TemplateObject(template.ref(), true, List.of(), template.labels(), template.content()));
        }
    }

    @Test
    void domainsAreToldByNamespaceAndNameWithTheirClaimsAndNodes() {
        cluster.createDomain("second", "second-channel");
        cluster.createDomain("first", "first-channel");
        settled();
        claim();

        ClusterReport report = report(Optional.of(Map.of("tray-1", Set.of(ONE))));

        assertThat(report.domains()).extracting(ClusterReport.Domain::name).containsExactly("first", "second");
        assertThat(report.domains().getLast()).satisfies(second -> {
            assertThat(second.ready()).isTrue();
            assertThat(second.channel()).contains(ONE);
            assertThat(second.claims()).isEqualTo(1);
            assertThat(second.nodes()).containsExactly("tray-1");
            assertThat(second.wrong()).isEmpty();
        });
        assertThat(report.left()).isEmpty();
    }

    @Test
    void aChannelThatItsNodeDoesNotPublishIsWrong() {
        cluster.createDomain("train", "train-channel");
        settled();
        claim();

        assertThat(report(Optional.of(Map.of())).domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("node tray-1 does not publish channel 1", "team/pod-claim");
        assertThat(report().domains().getFirst().wrong()).as("not known").isEmpty();
    }

    @Test
    void whatTheControllerWouldSayIsWrongAndSoIsThatItHasNotComeYet() {
        cluster.createDomain("train", "train-channel");
        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("see that imex-controller runs");

        cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"), false, List.of(), Map.of(), new Content.Other(Optional.empty())));
        settled();

        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("train-channel exists already");
    }

    @Test
    void aDeletedDomainSaysUntilWhenItsChannelRests() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        Bench controller = settled();
        cluster.deleteDomain(domain.ref().uid());
        controller.settle();

        assertThat(report().domains()).singleElement().satisfies(train -> {
            assertThat(train.deleting()).isTrue();
            assertThat(train.wrong()).singleElement().asString().contains("rests until 2026-11-21T12:00:30Z");
        });
    }

    @Test
    void aChannelThatAGoneDomainHoldsIsToldWithTheClaimsThatKeepIt() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        settled();
        claim();
        vanish(domain);

        assertThat(report().domains()).isEmpty();
        assertThat(report().left()).singleElement().satisfies(left -> {
            assertThat(left.channel()).isEqualTo(ONE);
            assertThat(left.owner()).isEqualTo("team/train");
            assertThat(left.restsUntil()).isEmpty();
            assertThat(left.claims()).isEqualTo(1);
            assertThat(left.wrong()).singleElement().asString().contains("end the pods of 1 claim (team/pod-claim)");
        });
    }

    @Test
    void aChannelOfAGoneDomainThatNothingKeepsWaitsForTheControllerThenRestsThenIsFree() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        settled();
        vanish(domain);
        assertThat(report().left().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("see that imex-controller runs");

        settled();
        assertThat(report().left()).singleElement().satisfies(left -> {
            assertThat(left.restsUntil()).contains(Bench.BEGIN.plus(Bench.QUARANTINE));
            assertThat(left.wrong()).isEmpty();
        });

        time.pass(Bench.QUARANTINE);
        assertThat(report().left()).isEmpty();
    }

    @Test
    void aClaimThatCameLateIsToldEvenWhereTheChannelHasRested() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        settled();
        TemplateObject template = cluster.templates().getFirst();
        vanish(domain);
        settled();
        cluster.claim(template, "late", Optional.of(ONE));
        time.pass(Bench.QUARANTINE);

        assertThat(report().left())
                .singleElement()
                .satisfies(left ->
                        assertThat(left.wrong()).singleElement().asString().contains("team/late"));
    }
}
