package io.imexagent.kubernetes.control;

import io.imexagent.kubernetes.ObjectRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A ResourceClaimTemplate.
 *
 * @param finalizers what holds it
 * @param content what claims made from it ask for
 */
public record TemplateObject(
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
