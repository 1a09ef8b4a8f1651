package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.controller.DomainPlanner.Problem.Reason;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.ObjectRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnnouncerTest {

    private static final ObjectRef DOMAIN = new ObjectRef("uid", "team", "train", "7");
    private static final Problem NOTICE = new Problem(Reason.ALLOCATION_MODE_IGNORED, "All is answered with Single");
    private static final Problem TAKEN = new Problem(Reason.TEMPLATE_NAME_TAKEN, "the template exists already");

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();
    private final EventRecorder announcer = new EventRecorder(new FakeClient(cluster), time);

    private List<String> told() {
        return cluster.events().stream().map(Event::reason).toList();
    }

    @Test
    void aProblemIsToldOnceAndAgainBeforeTheServerForgetsIt() {
        assertThat(announcer.report(DOMAIN, List.of(TAKEN))).contains(Duration.ofMinutes(50));
        time.pass(Duration.ofMinutes(49));
        announcer.report(DOMAIN, List.of(TAKEN));
        assertThat(told()).hasSize(1);

        time.pass(Duration.ofMinutes(1));
        announcer.report(DOMAIN, List.of(TAKEN));

        assertThat(told()).containsExactly("TemplateNameTaken", "TemplateNameTaken");
    }

    @Test
    void whatKeepsNothingFromWorkingIsToldOnceAndNobodyLooksAgainForIt() {
        assertThat(announcer.report(DOMAIN, List.of(NOTICE))).isEmpty();
        time.pass(Duration.ofHours(5));
        announcer.report(DOMAIN, List.of(NOTICE));
        announcer.report(DOMAIN, List.of(NOTICE, TAKEN));
        time.pass(Duration.ofHours(5));
        announcer.report(DOMAIN, List.of(TAKEN));
        announcer.report(DOMAIN, List.of(NOTICE));

        assertThat(told()).containsExactly("AllocationModeIgnored", "TemplateNameTaken", "TemplateNameTaken");
    }

    @Test
    void aProblemThatChangedIsToldAtOnceAndOneThatWentAndCameToo() {
        announcer.report(DOMAIN, List.of(TAKEN));
        announcer.report(
                DOMAIN, List.of(new Problem(Reason.TEMPLATE_NAME_TAKEN, "the template exists already, still")));
        assertThat(told()).hasSize(2);

        assertThat(announcer.report(DOMAIN, List.of())).isEqualTo(Optional.empty());
        announcer.report(DOMAIN, List.of(TAKEN));

        assertThat(told()).hasSize(3);
        announcer.forget("uid");
        announcer.report(DOMAIN, List.of(TAKEN));
        assertThat(told()).hasSize(4);
    }
}
