package io.imexagent.core.claim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the scheduler gave to a claim, {@code resource.k8s.io/v1 AllocationResult}: devices of this driver and of
 * others, with opaque configuration, classes first; the time is in whole seconds.
 */
public record Allocation(
        List<AllocatedDevice> results,
        List<DeviceConfig> config,
        Optional<NodeSelector> nodeSelector,
        Optional<Instant> timestamp) {

    public Allocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
    }

    Allocation ofDriver(String driver) {
        List<DeviceConfig> own = config.stream()
                .filter(one ->
                        one.opaque().filter(it -> it.driver().equals(driver)).isPresent())
                .toList();
        return new Allocation(resultsOf(driver), own, nodeSelector, timestamp);
    }

    /** The devices that the driver of this name prepares. */
    public List<AllocatedDevice> resultsOf(String driver) {
        return results.stream().filter(result -> result.driver().equals(driver)).toList();
    }

    /**
     * The nodes on which an allocation can be used, as alternatives ({@code core/v1 NodeSelector}). The agent only carries
     * it.
     */
    public record NodeSelector(List<Term> terms) {

        public NodeSelector {
            terms = List.copyOf(terms);
        }

        /** One alternative: all of its requirements on labels and on fields hold. */
        public record Term(List<Requirement> matchExpressions, List<Requirement> matchFields) {

            public Term {
                matchExpressions = List.copyOf(matchExpressions);
                matchFields = List.copyOf(matchFields);
            }
        }

        /** A requirement on a label or field; its operator is In, NotIn, Exists, DoesNotExist, Gt or Lt. */
        public record Requirement(String key, String operator, List<String> values) {

            public Requirement {
                values = List.copyOf(values);
            }
        }
    }
}
