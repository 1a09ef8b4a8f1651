package io.imexagent.controller;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
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
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.ListedNode;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One client of a {@link FakeCluster}. Its watches bring what happened when they are told to, and its calls can be cut
 * off, before the server did what it was asked, or after.
 */
public final class FakeClient implements ControlPlane {

    /** Where a call is cut off. */
    public enum Cut {
        /** The server never hears of it. */
        BEFORE,
        /** The server did it, and its answer is lost. */
        AFTER,
        /** The server says no. */
        REFUSED
    }

    private final FakeCluster cluster;
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private Suspension suspension = (call, moment) -> {};
    private IntFunction<Optional<Cut>> cuts = call -> Optional.empty();
    private Optional<Sinks> sinks = Optional.empty();
    private Optional<Consumer<WatchUpdate<Stored<FabricTest>>>> testSink = Optional.empty();
    private Optional<Consumer<WatchUpdate<Stored<CliquePlacement>>>> placementSink = Optional.empty();
    private int told;

    private record Sinks(
            Consumer<WatchUpdate<DomainObject>> domains,
            Consumer<WatchUpdate<TemplateObject>> templates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> nodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> cliques) {}

    /** A client whose calls all succeed. */
    public FakeClient(FakeCluster cluster) {
        this.cluster = cluster;
    }

    /** Cuts calls off, by their number from 0. */
    public FakeClient cutting(IntFunction<Optional<Cut>> where) {
        this.cuts = where;
        return this;
    }

    /** The calls that were made, as verb and kind. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    /** What happens in the cluster while this client stands still in a call. */
    @FunctionalInterface
    public interface Suspension {

        /**
         * The client stands still.
         *
         * @param call the number of the call, from 0
         * @param moment before the server hears of it, or after it has answered
         */
        void at(int call, Cut moment);
    }

    /** Lets the client stand still in its calls, and others go on meanwhile. */
    public void suspending(Suspension meanwhile) {
        this.suspension = meanwhile;
    }

    private interface Body<T> {
        T run() throws ApiException;
    }

    private <T> T call(String what, Body<T> body) throws ApiException {
        int number = calls.size();
        calls.add(what);
        suspension.at(number, Cut.BEFORE);
        Optional<Cut> cut = cuts.apply(number);
        if (cut.equals(Optional.of(Cut.BEFORE))) {
            throw FakeCluster.failure(ApiFailure.FailureKind.UNREACHABLE, "cut before " + what);
        }
        if (cut.equals(Optional.of(Cut.REFUSED))) {
            throw FakeCluster.failure(ApiFailure.FailureKind.FORBIDDEN, "may not " + what);
        }
        T answer = body.run();
        if (cut.isPresent()) {
            throw FakeCluster.failure(ApiFailure.FailureKind.UNREACHABLE, "cut after " + what);
        }
        suspension.at(number, Cut.AFTER);
        return answer;
    }

    @Override
    public void watch(
            Consumer<WatchUpdate<DomainObject>> domains,
            Consumer<WatchUpdate<TemplateObject>> templates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> nodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> cliques) {
        sinks = Optional.of(new Sinks(domains, templates, nodes, cliques));
        relist();
    }

    /** The watch of the fabric test's results tells of one. */
    public void tell(Stored<FabricTest> test) {
        cluster.tests.put(test.name(), test);
        testSink.orElseThrow().accept(new WatchUpdate.ObjectChanged<>(test));
    }

    /** The watch of CliquePlacements lists them; it has failed, or was not begun, before. */
    public void listPlacements() {
        synchronized (cluster) {
            placementSink
                    .orElseThrow()
                    .accept(new WatchUpdate.ObjectsListed<>(
                            List.copyOf(cluster.placements.values()), Integer.toString(cluster.revision())));
        }
    }

    /** The watches begin anew from a list, as after 410. */
    public void relist() {
        synchronized (cluster) {
            String version = Integer.toString(cluster.revision());
            sinks.ifPresent(all -> {
                all.domains().accept(new WatchUpdate.ObjectsListed<>(cluster.domains(), version));
                all.templates().accept(new WatchUpdate.ObjectsListed<>(cluster.workloads(), version));
                all.nodes().accept(new WatchUpdate.ObjectsListed<>(List.copyOf(cluster.nodes.values()), version));
                all.cliques().accept(new WatchUpdate.ObjectsListed<>(List.copyOf(cluster.tables.values()), version));
            });
            told = cluster.history.size();
        }
    }

    /** Tells at most so many changes, and says how many it told. */
    public int deliver(int most) {
        int count = 0;
        while (count < most && sinks.isPresent()) {
            FakeCluster.Change change;
            synchronized (cluster) {
                if (told == cluster.history.size()) {
                    return count;
                }
                change = cluster.history.get(told++);
            }
            tell(sinks.get(), change);
            count++;
        }
        return count;
    }

    private void tell(Sinks sinks, FakeCluster.Change change) {
        switch (change) {
            case FakeCluster.Change.Domain domain ->
                tell(sinks.domains(), domain.object(), domain.object().ref(), domain.gone());
            case FakeCluster.Change.Template template ->
                tell(sinks.templates(), template.object(), template.object().ref(), template.gone());
            case FakeCluster.Change.Node node ->
                tell(sinks.nodes(), node.object(), node.object().ref(), node.gone());
            case FakeCluster.Change.Placement placement ->
                placementSink.ifPresent(sink ->
                        tell(sink, placement.object(), placement.object().ref(), placement.gone()));
            case FakeCluster.Change.Table table ->
                tell(sinks.cliques(), table.object(), table.object().ref(), table.gone());
        }
    }

    private static <T> void tell(Consumer<WatchUpdate<T>> sink, T object, ObjectRef ref, boolean gone) {
        sink.accept(
                gone
                        ? new WatchUpdate.ObjectDeleted<>(ref.uid(), ref.version())
                        : new WatchUpdate.ObjectChanged<>(object));
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> tests) {
        testSink = Optional.of(tests);
        if (cluster.testsFailure.isEmpty()) {
            tests.accept(new WatchUpdate.ObjectsListed<>(List.copyOf(cluster.tests.values()), "0"));
        }
        return () -> cluster.testsFailure;
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchPlacements(Consumer<WatchUpdate<Stored<CliquePlacement>>> placements) {
        placementSink = Optional.of(placements);
        if (cluster.placementsFailure.isEmpty()) {
            listPlacements();
        }
        return () -> cluster.placementsFailure;
    }

    @Override
    public StoredObjects<CliquePlacement> placements(String namespace) {
        return new StoredObjects<>() {
            @Override
            public Optional<Stored<CliquePlacement>> get(String name) {
                throw new AssertionError("the controller watches CliquePlacements");
            }

            @Override
            public Stored<CliquePlacement> create(String name, CliquePlacement content) throws ApiException {
                return call("create CliquePlacement", () -> cluster.createPlacement(namespace, name, content));
            }

            @Override
            public Stored<CliquePlacement> replace(Stored<CliquePlacement> observed, CliquePlacement content)
                    throws ApiException {
                return call("update CliquePlacement", () -> cluster.replacePlacement(observed, content));
            }

            @Override
            public void delete(Stored<CliquePlacement> observed) throws ApiException {
                call("delete CliquePlacement", () -> {
                    cluster.removePlacement(observed);
                    return true;
                });
            }
        };
    }

    @Override
    public List<PlacedPod> placedPods() {
        throw new AssertionError("a controller lists no pods");
    }

    @Override
    public Map<String, String> cliqueLabels() {
        throw new AssertionError("a controller reads no labels");
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return Optional.empty();
    }

    @Override
    public Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        return call("patch ComputeDomain", () -> cluster.finalizers(observed, finalizers));
    }

    @Override
    public DomainObject setStatus(DomainObject observed, DomainStatus status) throws ApiException {
        return call("patch ComputeDomain/status", () -> cluster.status(observed, status));
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, String namespace) throws ApiException {
        return call(
                "list ComputeDomain",
                () -> cluster.domains().stream()
                        .filter(domain -> domain.uid().equals(uid)
                                && domain.ref().namespace().equals(namespace))
                        .findFirst());
    }

    @Override
    public Optional<TemplateObject> template(String namespace, String name) throws ApiException {
        return call("get ResourceClaimTemplate", () -> cluster.template(namespace, name));
    }

    @Override
    public TemplateObject create(TemplateDraft draft) throws ApiException {
        return call("create ResourceClaimTemplate", () -> cluster.create(draft));
    }

    @Override
    public Optional<TemplateObject> patchMetadata(
            TemplateObject observed, Map<String, String> labels, List<String> finalizers) throws ApiException {
        return call("patch ResourceClaimTemplate", () -> cluster.mend(observed, labels, finalizers));
    }

    @Override
    public Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        return call("delete ResourceClaimTemplate", () -> cluster.delete(observed));
    }

    @Override
    public StoredObjects<LeaseContent> leases() {
        return new StoredObjects<>() {
            @Override
            public Optional<Stored<LeaseContent>> get(String name) throws ApiException {
                return call(
                        "get Lease",
                        () -> cluster.leases().stream()
                                .filter(lease -> lease.ref().name().equals(name))
                                .findFirst());
            }

            @Override
            public Stored<LeaseContent> create(String name, LeaseContent content) throws ApiException {
                return call("create Lease", () -> cluster.create(name, content));
            }

            @Override
            public Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content)
                    throws ApiException {
                return call("update Lease", () -> cluster.replace(observed, content));
            }

            @Override
            public void delete(Stored<LeaseContent> observed) {
                throw new AssertionError("a controller deletes no Lease");
            }
        };
    }

    @Override
    public Events events() {
        return event -> call("create Event", () -> {
            cluster.emit(event);
            return true;
        });
    }

    @Override
    public Reviews reviews() {
        throw new AssertionError("a controller reviews nobody");
    }

    @Override
    public KubernetesApi.ApiState state() {
        return new KubernetesApi.ApiState.ApiUntried();
    }

    @Override
    public void close() {
        sinks = Optional.empty();
    }

    @Override
    public FabricObjects fabric() {
        return new Fabric();
    }

    private final class Fabric implements FabricObjects {

        @Override
        public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
            throw new AssertionError("a controller watches all nodes");
        }

        @Override
        public List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
            return call("list NVLinkNode", () -> cluster.nodesOf(clique));
        }

        @Override
        public StoredObjects<FabricTest> tests() {
            throw new AssertionError("the controller watches FabricTests, and calls for none");
        }

        @Override
        public StoredObjects<NvlinkClique> cliques() {
            return new StoredObjects<>() {
                @Override
                public Optional<Stored<NvlinkClique>> get(String name) throws ApiException {
                    return call("get NVLinkClique", () -> cluster.clique(new CliqueId(name)));
                }

                @Override
                public Stored<NvlinkClique> create(String name, NvlinkClique content) throws ApiException {
                    return call("create NVLinkClique", () -> cluster.create(new CliqueId(name), content));
                }

                @Override
                public Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content)
                        throws ApiException {
                    return call("update NVLinkClique", () -> cluster.replace(observed, content));
                }

                @Override
                public void delete(Stored<NvlinkClique> observed) throws ApiException {
                    Stored<NvlinkClique> deleting = observed.deleting()
                            ? observed
                            : call("delete NVLinkClique", () -> cluster.beginDeletion(observed));
                    call("patch NVLinkClique", () -> {
                        cluster.endDeletion(deleting);
                        return true;
                    });
                }
            };
        }

        @Override
        public StoredObjects<NvlinkNode> nodes() {
            return new StoredObjects<>() {
                @Override
                public Optional<Stored<NvlinkNode>> get(String name) {
                    throw ofTheAgent();
                }

                @Override
                public Stored<NvlinkNode> create(String name, NvlinkNode content) {
                    throw ofTheAgent();
                }

                @Override
                public Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) {
                    throw ofTheAgent();
                }

                @Override
                public void delete(Stored<NvlinkNode> observed) throws ApiException {
                    call("delete NVLinkNode", () -> {
                        cluster.removeNode(observed);
                        return true;
                    });
                }
            };
        }

        private AssertionError ofTheAgent() {
            return new AssertionError("a call of the agent");
        }

        @Override
        public Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException {
            return call("patch NVLinkNode", () -> cluster.mark(observed, outage));
        }

        @Override
        public Map<String, ListedNode> kubernetesNodes(Optional<String> label) throws ApiException {
            return call(
                    "list Node",
                    () -> cluster.kubernetesNodes.entrySet().stream()
                            .collect(Collectors.toMap(
                                    Map.Entry::getKey,
                                    node -> new ListedNode(
                                            node.getValue(),
                                            label.map(name -> cluster.rackLabels.getOrDefault(node.getKey(), ""))
                                                    .orElse("")))));
        }

        @Override
        public boolean nodeExists(String name) throws ApiException {
            return call("get Node", () -> cluster.kubernetesNodes.containsKey(name));
        }
    }
}
