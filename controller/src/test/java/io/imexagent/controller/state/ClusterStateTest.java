package io.imexagent.controller.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClusterStateTest {

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();

    @Test
    void remembersThatADomainIsGoneOnlyWhileSomethingIsLeftOfIt() {
        var state = new ClusterState(uid -> {});
        TemplateObject template = cluster.put(new TemplateObject(
                cluster.ref("team", "channel"),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                Map.of(Names.COMPUTE_DOMAIN, "gone", Names.TARGET, Names.WORKLOAD),
                new Content.Other(Optional.of("gone"))));
        state.put(template);

        state.confirmGone(new ComputeDomainUid("gone"));
        assertThat(state.remains("gone").confirmed()).isTrue();
        state.removed(template);

        assertThat(state.confirmedGone()).isZero();
        state.confirmGone(new ComputeDomainUid("nothing-left"));
        assertThat(state.confirmedGone()).isZero();
    }

    @Test
    void aThousandDomainsWithoutFinalizersLeaveNothingBehind() {
        var controller = new Bench(cluster, Bench.isolated(2048), time);
        for (int i = 0; i < 1000; i++) {
            cluster.createDomain("domain-" + i, "template-" + i);
        }
        controller.settle();
        for (DomainObject domain : cluster.domains()) {
            cluster.put(new DomainObject(
                    domain.ref(), true, List.of(), domain.templateName(), "Single", true, domain.channel()));
        }

        controller.settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(cluster.leases())
                .hasSize(1000)
                .allMatch(lease -> lease.holder().isEmpty());
        assertThat(controller.state().confirmedGone()).isZero();
    }
}
