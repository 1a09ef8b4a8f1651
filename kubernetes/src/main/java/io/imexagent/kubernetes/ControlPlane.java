package io.imexagent.kubernetes;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.clique.StoredObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The cluster as a controller sees and changes it. Closing it ends its watches and connections.
 *
 * <p>Calls block: make them on a virtual thread. One that changes an object that was observed fails with kind
 * {@code CONFLICT} where the object changed since then, and with {@code NOT_FOUND} where it is gone.
 */
public interface ControlPlane extends AutoCloseable {

    /**
     * Begins to watch: ComputeDomains and the ResourceClaimTemplates that bear the label of a workload's template, of all
     * namespaces, and the nodes and tables of the NVLink fabric. The watches come back by themselves after every kind of
     * failure. Called once.
     */
    void watch(
            Consumer<WatchNews<DomainObject>> domains,
            Consumer<WatchNews<TemplateObject>> templates,
            Consumer<WatchNews<Stored<NvlinkNode>>> nodes,
            Consumer<WatchNews<Stored<NvlinkClique>>> cliques);

    /** Why a watch does not stand at the moment; empty while all stand. */
    Optional<ApiFailure> watchFailure();

    /** The objects that are watched and cannot be read, by their resource. Never blocks. */
    default Map<String, UnreadObjects> unread() {
        return Map.of();
    }

    /**
     * Sets a ComputeDomain's finalizers, and returns it as it is now.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /** Sets {@code status.status} of a ComputeDomain; the rest of the status stays. */
    DomainObject setStatus(DomainObject observed, boolean ready) throws ApiException;

    /** Asks the server whether a namespace has a ComputeDomain of this UID. */
    Optional<DomainObject> find(ComputeDomainUid uid, String namespace) throws ApiException;

    /** Asks the server for the template of this name, whatever its labels; empty where there is none. */
    Optional<TemplateObject> template(String namespace, String name) throws ApiException;

    /**
     * Makes a ResourceClaimTemplate.
     *
     * @throws ApiException with kind {@code CONFLICT} where the name is taken
     */
    TemplateObject create(TemplateDraft draft) throws ApiException;

    /**
     * Sets labels of a template beside those that it has, and its finalizers.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     */
    Optional<TemplateObject> mend(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException;

    /**
     * Deletes a template.
     *
     * @return the template where finalizers hold it; empty where it is gone
     */
    Optional<TemplateObject> delete(TemplateObject observed) throws ApiException;

    /** The Leases of the controller's namespace. */
    StoredObjects<LeaseContent> leases();

    /** The nodes and tables of the NVLink fabric. */
    FabricObjects fabric();

    /** Records an Event. */
    void record(EventDraft event) throws ApiException;

    /** Who others are, and what they may do. */
    Reviews reviews();

    /** What the last calls told about the server. Never blocks. */
    KubernetesApi.State state();

    @Override
    void close();

    /**
     * What a Lease says.
     *
     * @param holder who holds it; empty where it is free
     * @param acquired since when
     * @param renewed when the holder last confirmed it
     * @param duration how long the holder's word is good, in whole seconds
     * @param transitions how often the holder changed
     */
    record LeaseContent(
            Optional<String> holder,
            Optional<Instant> acquired,
            Optional<Instant> renewed,
            Optional<Duration> duration,
            int transitions,
            Map<String, String> labels,
            Map<String, String> annotations) {

        /** Copies labels and annotations in. */
        public LeaseContent {
            labels = Map.copyOf(labels);
            annotations = Map.copyOf(annotations);
        }
    }

    /**
     * A ComputeDomain.
     *
     * @param finalizers what holds it
     * @param templateName the name that its ResourceClaimTemplate must have
     * @param allocationMode the mode that was asked for; host-managed IMEX knows {@code Single} only
     * @param ready whether {@code status.status} is {@code Ready}
     */
    record DomainObject(
            ObjectRef ref,
            boolean deleting,
            List<String> finalizers,
            String templateName,
            String allocationMode,
            boolean ready) {

        /** Copies the finalizers in. */
        public DomainObject {
            finalizers = List.copyOf(finalizers);
        }

        /** Its UID. */
        public ComputeDomainUid uid() {
            return new ComputeDomainUid(ref.uid());
        }
    }

    /**
     * A ResourceClaimTemplate.
     *
     * @param finalizers what holds it
     * @param content what claims made from it ask for
     */
    record TemplateObject(
            ObjectRef ref, boolean deleting, List<String> finalizers, Map<String, String> labels, Content content) {

        /** Copies finalizers and labels in. */
        public TemplateObject {
            finalizers = List.copyOf(finalizers);
            labels = Map.copyOf(labels);
        }

        /** What claims made from a template ask for. */
        public sealed interface Content {

            /** The ComputeDomain that it names in its configuration; empty where it names none. */
            Optional<String> domainId();

            /**
             * One channel of a ComputeDomain, in the form of the public controller: one request {@code channel}, exactly one
             * device, one configuration with mode {@code Single}. Fields that the server adds change nothing about it, nor does
             * the annotation by which claims name their ComputeDomain.
             *
             * @param domain the ComputeDomain's UID
             * @param deviceClass the class asked for
             */
            record Workload(String domain, String deviceClass) implements Content {

                @Override
                public Optional<String> domainId() {
                    return Optional.of(domain);
                }
            }

            /**
             * Anything else.
             *
             * @param domainId the ComputeDomain that it names
             */
            record Other(Optional<String> domainId) implements Content {}
        }
    }

    /**
     * A ResourceClaimTemplate to make.
     *
     * @param domainName the name of the ComputeDomain, which claims made from it bear as an annotation
     * @param content what claims made from it ask for
     */
    record TemplateDraft(
            String namespace,
            String name,
            List<String> finalizers,
            Map<String, String> labels,
            String domainName,
            TemplateObject.Content.Workload content) {

        /** Copies finalizers and labels in. */
        public TemplateDraft {
            finalizers = List.copyOf(finalizers);
            labels = Map.copyOf(labels);
        }
    }

    /**
     * An Event about a ComputeDomain.
     *
     * @param warning whether it is a warning; else it is for information
     * @param reason why, one word in CamelCase
     * @param message what happened and what to do, at most 1024 characters
     */
    record EventDraft(ObjectRef about, boolean warning, String reason, String message) {

        private static final int LONGEST = 1024;

        /** Cuts the message to what the server takes. */
        public EventDraft {
            message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
        }
    }

    /**
     * News of a watch. Listeners are called on the watch's thread, one at a time, and must not block.
     *
     * @param <T> what is told of an object
     */
    sealed interface WatchNews<T> {

        /**
         * All objects as of a version; what is not among them, and not younger than the version, is gone.
         *
         * @param version the collection's {@code resourceVersion}
         */
        record All<T>(List<T> objects, String version) implements WatchNews<T> {}

        /** An object is there, new or changed. */
        record Present<T>(T object) implements WatchNews<T> {}

        /**
         * An object is gone.
         *
         * <p>Of objects that are watched by a label one may be told again later, in a newer state: it has the label back.
         *
         * @param version the last version of it that concerned who watches; empty where the server did not tell
         */
        record Gone<T>(String uid, String version) implements WatchNews<T> {}
    }
}
