package io.imexagent.core.claim;

import java.util.List;

/**
 * The nodes on which an allocation can be used, {@code core/v1 NodeSelector}. The agent only carries it.
 *
 * @param terms alternatives
 */
public record NodeSelector(List<Term> terms) {

    /** Copies the list in. */
    public NodeSelector {
        terms = List.copyOf(terms);
    }

    /**
     * One alternative: all of its requirements hold.
     *
     * @param matchExpressions requirements on labels
     * @param matchFields requirements on fields
     */
    public record Term(List<Requirement> matchExpressions, List<Requirement> matchFields) {

        /** Copies the lists in. */
        public Term {
            matchExpressions = List.copyOf(matchExpressions);
            matchFields = List.copyOf(matchFields);
        }
    }

    /**
     * One requirement.
     *
     * @param key the label or field
     * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist}, {@code Gt}, {@code Lt}
     * @param values what the operator compares with
     */
    public record Requirement(String key, String operator, List<String> values) {

        /** Copies the list in. */
        public Requirement {
            values = List.copyOf(values);
        }
    }
}
