package io.imexagent.e2e.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.Stored;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every write of a controller over ComputeDomains, templates and Leases is bound to the state that it was planned over: where the object has changed since, the
 * server refuses it, and nothing is written (decision 0059).
 */
class StaleWritesIT {

    private static final String FINALIZER = ControllerWorld.FINALIZER;

    @TempDir
    Path folder;

    private ControllerWorld world;
    private ControlPlane cluster;

    @BeforeEach
    void open() throws IOException {
        world = new ControllerWorld(folder);
        cluster = world.controlPlane("one");
        world.create("train");
    }

    @AfterEach
    void close() {
        cluster.close();
        world.close();
    }

    private interface Write<T> {
        Object on(T observed) throws ApiException;
    }

    /** The write is refused on what is past, and goes through on what is. */
    private static <T> void refusedOnlyWhereStale(T stale, T fresh, Write<T> write) throws ApiException {
        ThrowingCallable late = () -> write.on(stale);
        assertThatThrownBy(late)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.failure().kind()).isEqualTo(ApiFailure.FailureKind.CONFLICT));
        assertThat(write.on(fresh)).isNotNull();
    }

    private DomainObject domain() throws ApiException {
        var uid = new ComputeDomainUid(
                world.domain("train").path("metadata").path("uid").asText());
        return cluster.find(uid, "default").orElseThrow();
    }

    private void changed(ResourceType type, String namespace, String name) {
        world.api.edit(
                type,
                namespace,
                name,
                object -> object.withObject("/metadata")
                        .withObject("/annotations")
                        .put("somebody/was", "here"));
    }

    private DomainObject staleDomain() throws ApiException {
        DomainObject stale = domain();
        changed(ResourceType.COMPUTE_DOMAINS, "default", "train");
        return stale;
    }

    private TemplateObject template() throws ApiException {
        DomainObject domain = domain();
        return cluster.create(new TemplateDraft(
                "default",
                "train-channel",
                List.of(FINALIZER),
                Map.of(FINALIZER, domain.ref().uid()),
                "train",
                new TemplateObject.TemplateContent.WorkloadTemplate(
                        domain.ref().uid(), "compute-domain-default-channel.nvidia.com")));
    }

    @Test
    void finalizersOfAComputeDomain() throws ApiException {
        DomainObject stale = staleDomain();
        refusedOnlyWhereStale(stale, domain(), observed -> cluster.setFinalizers(observed, List.of(FINALIZER)));
        assertThat(domain().finalizers()).containsExactly(FINALIZER);
    }

    @Test
    void itsStatus() throws ApiException {
        DomainObject stale = staleDomain();
        refusedOnlyWhereStale(
                stale, domain(), observed -> cluster.setStatus(observed, new DomainStatus(true, List.of())));
        assertThat(domain().ready()).isTrue();
    }

    @Test
    void labelsAndFinalizersOfATemplate() throws ApiException {
        TemplateObject stale = template();
        changed(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", "train-channel");
        Write<TemplateObject> mend =
                observed -> cluster.patchMetadata(observed, Map.of("team", "red"), List.of(FINALIZER));
        assertThatThrownBy(() -> mend.on(stale))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.failure().kind()).isEqualTo(ApiFailure.FailureKind.CONFLICT));
        assertThat(world.template("train").path("metadata").path("labels").has("team"))
                .isFalse();
    }

    @Test
    void theDeletionOfATemplate() throws ApiException {
        TemplateObject stale = template();
        changed(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", "train-channel");
        assertThatThrownBy(() -> cluster.delete(stale))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.failure().kind()).isEqualTo(ApiFailure.FailureKind.CONFLICT));
        assertThat(world.template("train").path("metadata").has("deletionTimestamp"))
                .isFalse();
    }

    @Test
    void aTemplateThatNobodyTouchedIsMendedAndDeleted() throws ApiException {
        TemplateObject mended = cluster.patchMetadata(template(), Map.of("team", "red"), List.of(FINALIZER))
                .orElseThrow();
        assertThat(cluster.delete(mended))
                .hasValueSatisfying(deleted -> assertThat(deleted.deleting()).isTrue());
    }

    @Test
    void aLease() throws ApiException {
        Stored<LeaseContent> stale = cluster.leases().create("imex-controller", held("uid-one"));
        changed(ResourceType.LEASES, ControllerWorld.NAMESPACE, "imex-controller");
        Stored<LeaseContent> fresh = cluster.leases().get("imex-controller").orElseThrow();

        refusedOnlyWhereStale(stale, fresh, observed -> cluster.leases().replace(observed, held("uid-two")));

        assertThat(cluster.leases()
                        .get("imex-controller")
                        .orElseThrow()
                        .content()
                        .holder())
                .contains("uid-two");
    }

    @Test
    void aLeaseThatSomebodyElseHasCreated() throws ApiException {
        Stored<LeaseContent> first = cluster.leases().create("imex-controller", held("uid-one"));
        assertThatThrownBy(() -> cluster.leases().create("imex-controller", held("uid-two")))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.failure().kind()).isEqualTo(ApiFailure.FailureKind.CONFLICT));
        assertThat(cluster.leases()
                        .get("imex-controller")
                        .orElseThrow()
                        .content()
                        .holder())
                .isEqualTo(first.content().holder());
    }

    private static LeaseContent held(String holder) {
        return new LeaseContent(
                Optional.of(holder),
                Optional.of(Instant.parse("2026-11-21T12:00:00Z")),
                Optional.empty(),
                Optional.empty(),
                0,
                Map.of(),
                Map.of());
    }
}
