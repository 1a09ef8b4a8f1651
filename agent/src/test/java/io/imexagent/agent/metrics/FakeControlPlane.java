package io.imexagent.agent.metrics;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A cluster that no controller calls before it is started. */
final class FakeControlPlane implements ControlPlane {

    private static AssertionError called() {
        return new AssertionError("metrics call nobody");
    }

    @Override
    public void watch(
            Consumer<WatchUpdate<DomainObject>> domains,
            Consumer<WatchUpdate<TemplateObject>> templates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> nodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> cliques) {
        throw called();
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> tests) {
        throw called();
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchPlacements(Consumer<WatchUpdate<Stored<CliquePlacement>>> placements) {
        throw called();
    }

    @Override
    public StoredObjects<CliquePlacement> placements(String namespace) {
        throw called();
    }

    @Override
    public List<PlacedPod> placedPods() {
        throw called();
    }

    @Override
    public Map<String, String> cliqueLabels() {
        throw called();
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        throw called();
    }

    @Override
    public Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) {
        throw called();
    }

    @Override
    public DomainObject setStatus(DomainObject observed, DomainStatus status) {
        throw called();
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, String namespace) {
        throw called();
    }

    @Override
    public Optional<TemplateObject> template(String namespace, String name) {
        throw called();
    }

    @Override
    public TemplateObject create(TemplateDraft draft) {
        throw called();
    }

    @Override
    public Optional<TemplateObject> patchMetadata(
            TemplateObject observed, Map<String, String> labels, List<String> finalizers) {
        throw called();
    }

    @Override
    public Optional<TemplateObject> delete(TemplateObject observed) {
        throw called();
    }

    @Override
    public StoredObjects<LeaseContent> leases() {
        return new StoredObjects<>() {
            @Override
            public Optional<Stored<LeaseContent>> get(String name) {
                throw called();
            }

            @Override
            public Stored<LeaseContent> create(String name, LeaseContent content) {
                throw called();
            }

            @Override
            public Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content) {
                throw called();
            }

            @Override
            public void delete(Stored<LeaseContent> observed) {
                throw called();
            }
        };
    }

    @Override
    public Events events() {
        throw called();
    }

    @Override
    public Reviews reviews() {
        throw called();
    }

    @Override
    public KubernetesApi.ApiState state() {
        throw called();
    }

    @Override
    public void close() {}

    @Override
    public FabricObjects fabric() {
        throw called();
    }
}
